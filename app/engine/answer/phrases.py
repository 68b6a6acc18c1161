"""The two sentences an answer says in its own words, by the language of the question."""

NO_ANSWER = {
    "ar": "المصادر التي تمت قراءتها لا تجيب عن هذا السؤال.",
    "de": "Die gelesenen Quellen beantworten diese Frage nicht.",
    "en": "The sources that were read do not answer this question.",
    "es": "Las fuentes leídas no responden a esta pregunta.",
    "fr": "Les sources lues ne répondent pas à cette question.",
    "hi": "पढ़े गए स्रोत इस प्रश्न का उत्तर नहीं देते।",
    "it": "Le fonti lette non rispondono a questa domanda.",
    "ja": "読んだ情報源はこの質問に答えていません。",
    "ko": "읽은 출처는 이 질문에 답하지 않습니다.",
    "nl": "De gelezen bronnen beantwoorden deze vraag niet.",
    "pt": "As fontes lidas não respondem a esta pergunta.",
    "ru": "Прочитанные источники не отвечают на этот вопрос.",
    "th": "แหล่งข้อมูลที่อ่านไม่ได้ตอบคำถามนี้",
    "zh": "所读的来源没有回答这个问题。",
}
DISAGREE = {
    "ar": "المصادر تختلف: {values}.",
    "de": "Die Quellen widersprechen sich: {values}.",
    "en": "The sources disagree: {values}.",
    "es": "Las fuentes no coinciden: {values}.",
    "fr": "Les sources se contredisent : {values}.",
    "hi": "स्रोत असहमत हैं: {values}।",
    "it": "Le fonti non concordano: {values}.",
    "ja": "情報源の間で食い違いがあります：{values}。",
    "ko": "출처마다 다릅니다: {values}.",
    "nl": "De bronnen spreken elkaar tegen: {values}.",
    "pt": "As fontes divergem: {values}.",
    "ru": "Источники расходятся: {values}.",
    "th": "แหล่งข้อมูลไม่ตรงกัน: {values}",
    "zh": "各来源说法不一：{values}。",
}
