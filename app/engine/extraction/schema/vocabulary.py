"""Words by which a property of a schema and a label on a page know each other."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from app.engine.text import analysis
from app.engine.text.scripts import WORD

_MOST_CHARACTERS = 200
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile(rf"\d+|(?:(?![\d_])[{WORD}])+")
_QUOTED = re.compile(r"""["'“”„«`‘]([^"'“”„«»`‘’\n]{2,60})["'”“»`’]""")
_MOST_DESCRIPTION = 1000
_MOST_QUOTED = 10

# Names of one thing. A name of several words is written as one: what `datePublished`, "date
# published" and `date_published` have in common. After the English names come those of labels in
# other languages.
_GROUPS: Final[dict[str, str]] = {
    "name": "title name headline heading productname jobtitle titel titre título titolo tytuł "
            "название заголовок nom nombre nome naam namn nazwa 名称 标题 タイトル",
    "author": "author authors byline creator creators writer writers contributor writtenby "
              "postedby autor autorin autoren auteur auteurs autore autori autores verfasser "
              "автор 作者 著者",
    "published": "published datepublished publisheddate publicationdate datepublication "
                 "publishedat publishedon publishedtime posted dateposted postedon posteddate "
                 "pubdate released releasedate datereleased datecreated issued veröffentlicht "
                 "erschienen erscheinungsdatum publié datedepublication publicado pubblicato "
                 "gepubliceerd opublikowano опубликовано 发布日期",
    "modified": "modified datemodified modifieddate modifiedtime updated updatedat lastupdated "
                "lastmodified dateupdated aktualisiert miseàjour actualizado aggiornato",
    "price": "price prices cost costs amount offerprice saleprice currentprice "
             "msrp listprice retailprice baseprice ourprice yourprice "
             "preis kosten prix tarif precio costo prezzo preço prijs cena pris цена 价格 価格",
    "currency": "currency pricecurrency währung devise moneda valuta",
    "image": "image images photo photos picture thumbnail thumbnailurl img imageurl bild foto "
             "imagen immagine",
    "ingredients": "ingredients ingredient recipeingredient recipeingredients zutaten "
                   "ingrédients ingredientes ingredienti ingrediënten składniki ингредиенты 材料 "
                   "ingredienser ingredience ingrediencie suroviny hozzávalók ainekset malzemeler "
                   "ingrediente υλικά 用料 食材 配料 재료",
    "instructions": "instructions instruction recipeinstructions directions method preparation "
                    "steps howto zubereitung anleitung préparation étapes preparación "
                    "elaboración pasos preparazione procedimento bereiding przygotowanie 做法 "
                    "作り方 preparação mododepreparo bereidingswijze fremgangsmåde tillagning "
                    "görsåhär postup postuppřípravy elkészítés valmistus valmistusohje "
                    "hazırlanışı приготовление εκτέλεση 步骤 만드는법",
    "yield": "yield yields recipeyield servings serves serving portions portion portionen "
             "personnes personen personas pessoas persone osób raciones porciones "
             "porções porzioni porties porcje porcí porcií adag 份量 分量",
    "rating": "rating ratings ratingvalue stars score averagerating bewertung évaluation "
              "valoración puntuación valutazione avaliação ocena рейтинг 评分",
    "rating count": "ratingcount ratingscount reviewcount reviewscount numberofratings "
                    "numberofreviews votes numreviews totalratings totalreviews "
                    "numratings numvotes ratingnumvotes ratingvotes",
    "category": "category categories recipecategory course section articlesection genre genres "
                "kategorie catégorie categoría categoria rubrik kategoria категория 分类 kategori "
                "categorie kategória",
    "cuisine": "cuisine recipecuisine küche cocina cucina keuken køkken kuchnia kuchyně kuchyňa "
               "konyha cozinha кухня",
    "keywords": "keywords keyword tags tag topics topic subjects schlagwörter schlagworte "
                "stichworte motsclés etiquetas palabrasclave 标签 trefwoorden címkék tagi štítky",
    "publisher": "publisher publishername imprint verlag éditeur editorial editore uitgever "
                 "wydawnictwo издательство 出版社",
    "brand": "brand brandname manufacturer make marke hersteller marque fabricant marca "
             "fabricante produttore merk",
    "company": "company companyname employer hiringorganization organization organisation "
               "unternehmen arbeitgeber firma entreprise empresa azienda",
    "description": "description summary abstract excerpt blurb overview about synopsis "
                   "beschreibung zusammenfassung résumé descripción resumen descrizione riassunto "
                   "descrição omschrijving opis описание 描述",
    "isbn": "isbn isbn10 isbn13 ean ean13 gtin gtin13",
    "sku": "sku mpn itemnumber articlenumber partnumber modelnumber productid artikelnummer "
           "référence referencia",
    "url": "url link href permalink canonicalurl website homepage webseite siteweb sitioweb",
    "location": "location place venue joblocation address ort standort lieu lugar ubicación luogo "
                "indirizzo adresse dirección местоположение",
    "phone": "phone telephone tel phonenumber telefon téléphone teléfono telefono telefoon",
    "email": "email emailaddress mail courriel correo",
    "language": "language languages lang inlanguage sprache langue idioma lingua taal язык",
    "body": "body articlebody content fulltext reviewbody text",
    "start": "start starts startdate startsat begins startsfrom startdatum beginn début inicio "
             "inizio",
    "end": "end ends enddate endsat enddatum ende fechafin datedefin",
    "salary": "salary basesalary pay compensation wage gehalt lohn salaire salario stipendio",
    "pages": "pages numberofpages pagecount numpages printlength seiten seitenzahl páginas pagine",
    "availability": "availability instock stock stockstatus verfügbarkeit disponibilité "
                    "disponibilidad disponibilità",
    "total time": "totaltime gesamtzeit tempstotal tiempototal",
    "prep time": "preptime preparationtime vorbereitungszeit tempsdepréparation",
    "cook time": "cooktime cookingtime bakingtime kochzeit backzeit tempsdecuisson",
    "weight": "weight gewicht poids peso waga вес 重量",
    "fuel economy": "fueleconomy mpg gasmileage fuelconsumption verbrauch kraftstoffverbrauch "
                    "consommation consumo",
    "city": "city town addresslocality locality stadt ville ciudad città stad miasto",
    "postal code": "postalcode postcode zip zipcode plz postleitzahl codepostal códigopostal cap",
    "region": "region addressregion state province",
    "country": "country addresscountry land pays país paese kraj",
    "organizer": "organizer organiser veranstalter organisateur organizador organizzatore",
    "mileage": "mileage odometer kilometerstand kilométrage kilometraje chilometraggio",
}  # fmt: skip
_SPELT: Final = {"ä": "ae", "ö": "oe", "ü": "ue"}
_UMLAUT: Final = re.compile("[äö]|(?<!g)ü|ü(?![ei])")  # not in antigüedad
_MARKS_OF_LATIN: Final = re.compile("(?<=[a-z])[\u0300-\u036f]+")


def _folded(word: str) -> str:
    """A word as those write it who keep to ASCII in names: `groesse`, `difficulte`."""
    if word.isascii():
        return word
    spelt = unicodedata.normalize("NFD", _UMLAUT.sub(lambda match: _SPELT[match[0]], word))
    return unicodedata.normalize("NFC", _MARKS_OF_LATIN.sub("", spelt))


_GROUP_OF: Final = {
    _folded(word): f"#{name}" for name, words in _GROUPS.items() for word in words.split()
}
_ALONE: Final = {  # as a whole label
    **dict.fromkeys(("by", "von", "par", "por", "door"), "#author"),
    **dict.fromkeys(("where", "wo"), "#location"),
}
_SMALL_WORDS: Final = (
    "a an the of in as is and or to for by on at with per der die das des le la les de du el los "
    "il di da"
)
_SMALL: Final = frozenset(_SMALL_WORDS.split())
# Words that say how a value is kept rather than what it is: `instructions_list` is `instructions`.
_FORMAL: Final = frozenset(
    {"aggregate", "list", "lists", "item", "items", "text", "texts", "value", "values"}
)


@lru_cache(maxsize=20_000)
def words(name: str) -> frozenset[str]:
    """The words of a name or label: stemmed, or the `#group` that a word or the whole belongs to.

    `total_time`, `totalTime`, "Total time:" and `total_time_value` have the same words, and so
    have `director` and `name_of_director`.
    """
    parts = split(name)
    if group := _ALONE.get("".join(parts)) or _GROUP_OF.get("".join(parts)):
        return frozenset({group})
    of_what = parts[2:] if parts[:2] == ("name", "of") else parts
    spoken = [part for part in of_what or parts if part not in _SMALL]
    telling = [part for part in spoken if part not in _FORMAL] or spoken or parts
    if group := _GROUP_OF.get("".join(telling)):
        return frozenset({group})
    return frozenset(_GROUP_OF.get(part) or stem(part) for part in telling)


def split(name: str) -> tuple[str, ...]:
    """The parts of a name in lower case and without accents, cut at camels, underscores, digits and
    punctuation."""
    plain = unicodedata.normalize("NFKC", name[:_MOST_CHARACTERS])
    return tuple(_folded(word.casefold()) for word in _WORDS.findall(_CAMEL.sub(" ", plain)))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    terms = analysis.terms(word, "en")
    return terms[0] if len(terms) == 1 else word


def quoted(description: str) -> list[str]:
    """Returns what a description puts in quotes: 'as it stands under "Net weight"'."""
    return [match[1] for match in _QUOTED.finditer(description[:_MOST_DESCRIPTION])][:_MOST_QUOTED]
