"""Function words per language: left out of the index, and what a short query's language shows in.

Short closed-class lists (articles, pronouns, prepositions, auxiliaries, question words) written for
this product. Negations of commands and technical words ("get", "set", "no-cache") are not listed.
"""

_LISTS = {
    "en": """
        a about above after again against all also am an and any are as at be because been
        before being below between both but by can could did do does doing down during each few
        for from further had has have having he her here hers him his how i if in into is it its
        itself just may me might more most must my no nor not now of off on once only or other
        ought our ours out over own s same shall she should so some such t than that the their
        theirs them then there these they this those through to too under until up upon very was
        we were what when where which while who whom whose why will with would you your yours
    """,
    "de": """
        aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim
        bin bis bist da dabei damit dann daran darauf das dass dein deine dem den denen der
        deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch
        ein eine einem einen einer eines er es etwa etwas euch euer für gegen gibt hat hatte
        hatten habe haben hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem
        ins ist ja jede jedem jeden jeder jedes jene jetzt kann kein keine können konnte man
        mehr mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne
        sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sollte sondern
        über um und uns unser unter viel vom von vor wann war waren warum was weil welche
        welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder wieviel
        will wir wird wo woher wohin wurde wurden während zu zum zur zwar zwischen
        bereits dadurch dafür dagegen daher darin davon dazu ebenfalls gewesen heißen heißt hieß
        hießen ließ ließen neben schon sowie sowohl wobei wodurch wofür womit woran worauf woraus
        worin worüber wovon wozu zudem
    """,
    "fr": """
        a ai au aucun aussi autre aux avait avant avec avoir c ce cela ces cet cette ceux chez
        comme comment d dans de depuis des donc dont du elle elles en entre est et étaient était
        été être eu eux fait fut furent il ils j je l la laquelle le lequel les lesquelles
        lesquels leur leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où
        par parce pas pendant peut plus pour pourquoi qu quand que quel quelle quelles quels qui
        quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous tout toute
        toutes très tu un une vers vos votre vous y
    """,
    "es": """
        a al algo algunas algunos ante antes aquel así aunque cada como cómo con contra cual
        cuál cuales cuáles cuando cuándo cuanta cuánta cuantas cuántas cuanto cuánto cuantos
        cuántos de del desde donde dónde dos durante e el él ella ellas ellos en entre era eran
        es esa esas ese eso esos esta está están estas este esto estos fue fueron ha había han
        hasta hay la las le les lo los más me mi mis mucho muy ni no nos nosotros o otra otras
        otro otros para pero por porque que qué quien quién quienes quiénes se sea ser si sí
        sido sin sobre son su sus también tan te tiene tienen todo todos tu tus un una unas uno
        unos y ya yo
    """,
    "it": """
        a ad agli ai al alla alle allo anche avere aveva c che chi ci come con contro cosa cui d
        da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dove due e è
        ed era erano essere fra fu furono gli ha hanno i il in io l la le lei li lo loro lui ma
        mi mia mio molto ne nei negli nel nell nella nelle nello noi non nostro o ogni per
        perché però più può qual quale quali quando quanta quante quanti quanto quella quelle
        quelli quello questa queste questi questo qui se sei si sia sono sta stata stato su sua
        sue sugli sui sul sulla sulle sullo suo suoi tra tu tutti tutto un una uno voi
    """,
    "pt": """
        a ao aos aquela aquele aquilo as até com como da das de dela dele deles depois do dos e
        é ela elas ele eles em entre era eram essa essas esse esses esta está estão estas este
        estes eu foi foram há isso isto já lhe mais mas me mesmo meu meus minha muito na não nas
        nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque
        porquê qual quais quando quanta quantas quanto quantos que quê quem são se seja sem ser
        será seu seus só sobre sua suas também te tem têm tinha tu tua um uma você vocês
    """,
    "nl": """
        aan al alle als ander andere bij ben dan dat de der deze die dit doch doen door dus een
        en er ge geen geweest had heb hebben heeft hem het hij hoe hoeveel hun iemand iets ik in
        is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of
        om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar
        waarom wanneer waren was wat welk welke werd werden wie wij wil wordt worden zal ze zelf
        zich zij zijn zo zonder zou
    """,
    "sv": """
        alla allt att av blev bli blir de dem den denna deras dess dessa det detta dig din där
        då efter ej eller en ett från för ha hade han hans har henne hennes hon honom hur i icke
        ingen inom inte jag ju kan kunde man med mellan men mig min mot mycket ni nu när någon
        något några och om oss på sedan sig sin sina sitt skulle som så till under upp ut utan
        vad var vara varför varit vart vem vems vi vid vilka vilken vilket är över
    """,
    "da": """
        ad af alle alt at blev blive bliver da de dem den denne der deres det dette dig din dog
        du efter eller en end er et for fra ham han hans har have havde hende hendes her hun
        hvad hvem hvis hvor hvordan hvorfor hvornår i ikke ind ingen jeg jer jo kan kunne man
        mange med meget men mig min mod når ned nogle nogen noget nu og også om op os over på
        sig sin skal skulle som sådan til ud under var ved vi vil ville være været
    """,
    "no": """
        alle at av ble bli blir da de dem den denne der deres det dette du eller en er et etter
        for fordi fra før ha hadde han hans har henne hennes her hun hva hvem hver hvilken
        hvilket hvis hvor hvordan hvorfor i ikke ingen inn jeg kan kunne man mange med mellom
        men mer min mot mye når noe noen nå og også om opp oss over på seg selv sin skal skulle
        slik som så til ut uten var ved vi vil ville være vært
    """,
    "fi": """
        ei eivät että he heidän hän hänen ja jo joka jonka jos jossa jotka kanssa koska kuin
        kuinka kuka kun me mihin mikä miksi milloin minä missä mitä mukaan mutta myös ne niiden
        niin noin nyt oli olivat olla on ole olisi ovat se sen sekä siitä sillä sinä sitten
        siinä tai tämä tämän te tuo vaan vai vain voi
    """,
    "pl": """
        a aby albo ale ani bardzo bez by był była było były być co czy dla do gdy gdzie go i ich
        ile im jak jaka jaki jakie jako jego jej jest jeszcze już kiedy kto która które którego
        której który których którym którzy lub ma mi między na nad nie niego nim o od on ona one
        oni oraz po pod przed przez przy się są tak także tam te tego tej ten to tu tylko tym u
        w we więc z za ze że
    """,
    "ro": """
        a acest aceasta această aceste acestui al ale am ar are as au avea ca care când cât câte
        câți ce cel cele cine cu cum că da dar de decât despre din după ea ei el ele era este eu
        fi fie fost iar ii il în într între la le lui mai mult ne nici nu o pe pentru prin sa
        sale sau se si și sub sunt te tot un una unde unei unor unui va vor
    """,
    "ru": """
        а без более бы был была были было быть в вам вас весь во вот все всех вы где да для до
        его ее её если есть еще ещё же за здесь и из или им их к как какая какие каких какой
        какое каком когда кого кто кому который которая которые которых ли между меня мне может
        мы на над надо наш не него нее нет ни них но о об однако он она они оно от по под при
        про с сам свое свои себя сколько со так также такой там те тем то того тоже только том
        ты у уже чего чем что чтобы чье эта эти это этого этой этом этот я
    """,
    "tr": """
        ama ancak bana ben bir biri biz bu bunu bunun da daha de değil diye en gibi hangi hem
        her hiç için ile ise kadar kaç kim kimin ki mi mı mu mü nasıl ne neden nerede nereye
        nedir o olan olarak oldu olduğu on ona onlar onun sen siz şu tarafından var ve veya ya
    """,
    "el": """
        αλλά αν από αυτά αυτή αυτό αυτός για δε δεν είναι εκείνο ένα ένας έχει έχουν ή ή η ήταν
        θα και κατά με μας μετά μη μου να ο οι όπως όταν ότι όχι πιο ποια ποιες ποιο ποιοι ποιος
        που πού πόσα πόσοι προς πως πώς πότε σαν σας σε στη στην στο στον στους στα στις συν τα
        τη την της τι τις το τον του τους των ως
    """,
    "ar": """
        أن إن أو أي أين التي الذي الذين إلى إلا أما به بها بين بعد تلك ثم حيث حتى ذلك سوف عن عند
        على غير في فيه فيها قد قبل كان كانت كل كم كما كيف لا لم لن له لها ليس لماذا ما ماذا مع
        متى من منذ منه منها هذا هذه هل هم هو هي و هناك وهو وهي يكون
    """,
    "vi": """
        ai bao bị bởi các cho có của cũng đã đang để đến đi được gì giữa hay hoặc khi không là lại
        lên mà một nào này nên nếu như nhưng những ở ra rất sẽ tại theo thì trên trong trước từ và
        vào về vì với
    """,
    "hi": """
        अपना अपनी अपने आप इन इस इसका इसकी इसके उन उनका उनकी उनके उस उसका उसकी उसके एक एवं ऐसे और
        कब कर करता करते करना करने कहाँ कहा का कि किस किसी किसे की कितना कितनी कितने के को कोई
        कौन कौनसा क्या क्यों गई गया गए जब जहाँ जाता जो तक तथा तो था थी थे द्वारा ने पर भी में यह
        या ये लिए वह वाले वे से हुआ हुई हुए है हैं हो होता होती होते
    """,
}

STOPWORDS: dict[str, frozenset[str]] = {code: frozenset(x.split()) for code, x in _LISTS.items()}
NO_STOPWORDS: frozenset[str] = frozenset()
# Of any language: what is certainly no name and no unit. Single letters may be units ("5 m").
FUNCTION_WORDS: frozenset[str] = frozenset(
    word for words in STOPWORDS.values() for word in words if len(word) > 1
)
