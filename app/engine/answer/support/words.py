"""Closed lists of words the support check reads: negations, words without weight.

Written for this product; by language (ISO 639-1) where one spelling means different things.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that turn a statement round. Those in one list with several meanings count for all of them.
NEGATIONS: dict[str, frozenset[str]] = {
    code: _set(words)
    for code, words in {
        "en": "not no never none neither nor without cannot nothing nobody nowhere false falsely "
        "untrue incorrect incorrectly wrong wrongly myth hoax denied denies deny hardly barely "
        "fails failed refuses refused dont doesnt didnt isnt arent wasnt werent cant wont",
        "de": "nicht nichts kein keine keinen keinem keiner keines nie niemals niemand ohne weder "
        "falsch unwahr irrtümlich kaum",
        "fr": "ne n pas jamais aucun aucune sans ni rien personne faux fausse",
        "es": "no nunca jamás sin ningún ninguno ninguna nada nadie ni tampoco falso falsa",
        "it": "non mai senza nessun nessuno nessuna niente nulla né falso falsa",
        "pt": "não nunca jamais sem nenhum nenhuma nada ninguém nem falso falsa",
        "nl": "niet geen nooit niets niemand zonder noch onjuist",
        "sv": "inte ej icke aldrig ingen inget inga utan",
        "da": "ikke aldrig ingen intet uden", "nb": "ikke aldri ingen intet uten",
        "pl": "nie nigdy bez żaden żadna żadne nikt nic ani",
        "ru": "не ни нет никогда никто ничто без нельзя", "uk": "не ні немає ніколи ніхто без",
        "cs": "ne nikdy bez žádný žádná žádné nikdo nic ani není nejsou",
        "tr": "değil yok hiç asla", "ar": "لا لم لن ليس ليست غير دون بدون",
        "hi": "नहीं न मत बिना", "id": "tidak bukan tanpa jangan", "vi": "không chẳng chưa",
    }.items()
}  # fmt: skip
# Of scripts without spaces: signs that stand anywhere in the clause.
NEGATION_SIGNS: dict[str, tuple[str, ...]] = {
    "zh": ("不", "没", "沒", "未", "无", "無", "非", "勿"),
    "ja": ("ない", "なかった", "ません", "ず", "なく", "ぬ"),
    "ko": ("않", "못", "없", "아니", "안 "),
    "th": ("ไม่", "มิได้", "ไร้"),
}

# Words a sentence may have or lack without saying anything else. Not "is": it is not "was".
HARMLESS: dict[str, frozenset[str]] = {
    code: _set(words)
    for code, words in {
        "en": "a an the that which also and",
        "de": "der die das den dem des ein eine einen einem einer eines und auch",
        "fr": "le la les l un une des et aussi",
        "es": "el la los las un una unos unas y también",
        "it": "il lo la i gli le l un uno una e anche",
    }.items()
}
