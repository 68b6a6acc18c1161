"""Names of months in the languages that pages are written in."""

import unicodedata
from functools import lru_cache
from typing import Final

from app.engine.text.scripts import primary_language

# From January on; after a slash other forms. The first three letters of a name are always one.
_NAMES: Final = {
    "en": "january february march april may june july august september/sept october november "
    "december",
    "de": "januar/jänner februar märz/mrz april mai juni juli august september/sept oktober "
    "november dezember",
    "fr": "janvier/janv février/févr mars avril mai juin juillet/juil août septembre/sept octobre "
    "novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre/sept octubre "
    "noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre/sett ottobre "
    "novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "nl": "januari februari/febr maart/mrt april mei juni juli augustus september/sept oktober "
    "november december",
    "ca": "gener febrer/febr març abril maig juny juliol agost setembre octubre novembre desembre",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie/sept octombrie "
    "noiembrie/nov decembrie",
    "sv": "januari februari mars april maj juni juli augusti september/sept oktober november "
    "december",
    "da": "januar februar marts april maj juni juli august september/sept oktober november "
    "december",
    "nb": "januar februar mars april mai juni juli august september/sept oktober november desember",
    "fi": "tammikuuta/tammikuu helmikuuta/helmikuu maaliskuuta/maaliskuu huhtikuuta/huhtikuu "
    "toukokuuta/toukokuu kesäkuuta/kesäkuu heinäkuuta/heinäkuu elokuuta/elokuu syyskuuta/syyskuu "
    "lokakuuta/lokakuu marraskuuta/marraskuu joulukuuta/joulukuu",
    "is": "janúar febrúar mars apríl maí júní júlí ágúst september/sept október nóvember desember",
    "et": "jaanuar/jaan veebruar/veebr märts aprill mai juuni juuli august september/sept oktoober "
    "november detsember/dets",
    "lv": "janvāris/janvārī februāris/februārī marts/martā aprīlis/aprīlī maijs/maijā "
    "jūnijs/jūnijā jūlijs/jūlijā augusts/augustā septembris/septembrī oktobris/oktobrī "
    "novembris/novembrī decembris/decembrī",
    "lt": "sausio/sausis vasario/vasaris kovo/kovas balandžio/balandis gegužės/gegužė "
    "birželio/birželis liepos/liepa rugpjūčio/rugpjūtis rugsėjo/rugsėjis spalio/spalis "
    "lapkričio/lapkritis gruodžio/gruodis",
    "pl": "stycznia/styczeń lutego/luty marca/marzec kwietnia/kwiecień maja/maj czerwca/czerwiec "
    "lipca/lipiec sierpnia/sierpień września/wrzesień października/październik listopada/listopad "
    "grudnia/grudzień",
    "cs": "ledna/leden února/únor března/březen dubna/duben května/květen června/červen/čvn "
    "července/červenec/čvc srpna/srpen září října/říjen listopadu/listopad prosince/prosinec",
    "sk": "januára/január februára/február marca/marec apríla/apríl mája/máj júna/jún júla/júl "
    "augusta/august septembra/september/sept októbra/október novembra/november decembra/december",
    "sl": "januarja/januar februarja/februar marca/marec aprila/april maja/maj junija/junij "
    "julija/julij avgusta/avgust septembra/september/sept oktobra/oktober novembra/november "
    "decembra/december",
    "hr": "siječnja/siječanj veljače/veljača/velj ožujka/ožujak travnja/travanj svibnja/svibanj "
    "lipnja/lipanj srpnja/srpanj kolovoza/kolovoz rujna/rujan listopada/listopad "
    "studenoga/studenog/studeni prosinca/prosinac",
    "hu": "január február/febr március/márc április május június július augusztus szeptember/szept "
    "október november december",
    "tr": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "id": "januari februari maret april mei juni juli agustus september/sept oktober november "
    "desember",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
    "sr": "јануар/januar фебруар/februar март/mart април/april мај/maj јун/jun јул/jul "
    "август/avgust септембар/septembar октобар/oktobar новембар/novembar децембар/decembar",
    "ru": "января/январь февраля/февраль/февр марта/март апреля/апрель мая/май июня/июнь июля/июль "
    "августа/август сентября/сентябрь/сент октября/октябрь ноября/ноябрь/нояб декабря/декабрь",
    "uk": "січня/січень лютого/лютий березня/березень квітня/квітень/квіт травня/травень/трав "
    "червня/червень/черв липня/липень серпня/серпень/серп вересня/вересень жовтня/жовтень/жовт "
    "листопада/листопад/лист грудня/грудень/груд",
    "el": "ιανουαρίου/ιανουάριος φεβρουαρίου/φεβρουάριος μαρτίου/μάρτιος/μάρ απριλίου/απρίλιος "
    "μαΐου/μάιος/μάι/μαΐ ιουνίου/ιούνιος/ιουν ιουλίου/ιούλιος/ιουλ αυγούστου/αύγουστος/αύγ "
    "σεπτεμβρίου/σεπτέμβριος/σεπτ οκτωβρίου/οκτώβριος νοεμβρίου/νοέμβριος δεκεμβρίου/δεκέμβριος",
    "he": "ינואר/בינואר פברואר/בפברואר מרץ/במרץ אפריל/באפריל מאי/במאי יוני/ביוני יולי/ביולי "
    "אוגוסט/באוגוסט ספטמבר/בספטמבר אוקטובר/באוקטובר נובמבר/בנובמבר דצמבר/בדצמבר",
    "ar": "يناير فبراير مارس أبريل مايو يونيو/يونيه يوليو/يوليه أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "fa": "ژانویه/ژانویهٔ فوریه/فوریهٔ مارس آوریل مه/مهٔ ژوئن ژوئیه/ژوئیهٔ اوت "
    "سپتامبر اکتبر نوامبر دسامبر",
    "hi": "जनवरी फ़रवरी/फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर/सितम्बर अक्टूबर नवंबर/नवम्बर दिसंबर/दिसम्बर",
    "th": "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน "
    "ธันวาคม",
}  # fmt: skip
_LIKE: Final = {"no": "nb", "nn": "nb", "bs": "hr"}
_ABBREVIATED = 3
_WITHOUT_LANGUAGE: Final = ("en", "de", "fr", "es", "it", "pt", "nl")


def months(language: str | None = None) -> dict[str, int]:
    """The months by name in lower case, in a language and in English; without one in seven."""
    code = primary_language(language)
    return _months(_LIKE.get(code, code))


@lru_cache(maxsize=64)
def _months(code: str) -> dict[str, int]:
    known: dict[str, int] = {}
    for each in ("en", code) if code in _NAMES else _WITHOUT_LANGUAGE:
        known |= _of(each)
    return known


def _of(code: str) -> dict[str, int]:
    """Abbreviations that two months share are none; accents may be left out."""
    written = [names.split("/") for names in _NAMES[code].casefold().split()]
    short = [names[0][:_ABBREVIATED] for names in written]
    known = {
        name: number
        for number, names in enumerate(written, start=1)
        for name in ((*names, short[number - 1]) if short.count(short[number - 1]) == 1 else names)
    }
    return {_unaccented(name): number for name, number in known.items()} | known


def _unaccented(name: str) -> str:
    return "".join(x for x in unicodedata.normalize("NFKD", name) if not unicodedata.combining(x))
