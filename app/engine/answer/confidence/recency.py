"""Questions that want what is new, told by words of several languages, or by this year's number."""

import re
from datetime import datetime

_FRESH = re.compile(
    r"\b(?:latest|newest|most recent|recent(?:ly)?|today|tonight|yesterday|right now|nowadays"
    r"|up[- ]to[- ]date|this (?:week|month|year)|breaking news"
    r"|(?<!electric )(?<!electrical )(?<!alternating )(?<!direct )current(?:ly)?"
    r"|neueste[nrsm]?|aktuell\w*|heute|heutzutage|gestern|derzeit(?:ig\w*)?|momentan|jüngste[nr]?"
    r"|diese[rsnm]? (?:woche|monats?|jahr(?:es)?)"
    r"|dernières? (?:nouvelles|versions?|mises?)|récente?s?|récemment|actuel(?:le)?s?|actuellement"
    r"|aujourd['’]hui|cette (?:semaine|année)"
    r"|últim[ao]s? (?:noticias?|versi[óo]n(?:es)?|hora)|recientes?|actual(?:es|mente)?|hoy"
    r"|est[ea] (?:semana|mes|año)|ultim[aei] (?:notizie|version[ei])|recent[ei]|attual[ei]|oggi"
    r"|atua(?:l|is|lmente)|hoje|nieuwste|recentste|huidige|vandaag|momenteel|najnowsz\w+"
    r"|aktualn\w+|dzisiaj|dziś|en son|güncel|bugün)\b"
    r"|\b(?:последн(?:ие|яя|юю|ий) (?:новост|верси)|новейш|актуальн|сегодня|сейчас|текущ)"
    r"|أحدث|اليوم|حالي|नवीनतम|आज|वर्तमान|최신|오늘|현재"
    r"|最新|今天|今日|目前|当前|當前|現在|今年|最近",
    re.IGNORECASE,
)


def wants_fresh(question: str, now: datetime) -> bool:
    """True if the question says latest, today, current ... or names the year of `now`."""
    this_year = re.search(rf"(?<!\d){now.year}(?!\d)", question)
    return this_year is not None or _FRESH.search(question) is not None
