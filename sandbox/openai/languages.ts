/** Texts in the languages that a prompt can ask for, by their English names. `{Kw}` is the keyword. */
export const LANGUAGES: Readonly<Record<string, { titles: readonly string[]; description: string; altText: string }>> =
  {
    German: {
      titles: ["{Kw}: so fängst du an", "{Kw} ganz einfach erklärt", "{Kw}, die sich wirklich lohnen"],
      description:
        "{Kw}: Hier findest du einen ruhigen Anfang und kleine Schritte, die sofort etwas verändern. Such dir eine Idee aus und nimm dir dafür einen Nachmittag Zeit.",
      altText: "Ein gezeichnetes Plakat in wenigen Farben mit der Überschrift „{Kw}“.",
    },
    Spanish: {
      titles: ["{Kw}: por dónde empezar", "{Kw}, explicado con calma", "{Kw} que querrás guardar"],
      description:
        "{Kw}: aquí tienes una forma sencilla de empezar y pequeños pasos que se notan enseguida. Elige una idea y dedícale una tarde tranquila.",
      altText: "Un cartel ilustrado con pocos colores y el título «{Kw}».",
    },
    French: {
      titles: ["{Kw} : par où commencer", "{Kw}, tout simplement", "{Kw} à garder pour plus tard"],
      description:
        "{Kw} : voici une façon simple de commencer et de petites étapes dont on voit vite le résultat. Choisissez une idée et prenez le temps d'un après-midi.",
      altText: "Une affiche illustrée en quelques couleurs avec le titre « {Kw} ».",
    },
    Italian: {
      titles: ["{Kw}: da dove cominciare", "{Kw}, spiegato con calma", "{Kw} da tenere per dopo"],
      description:
        "{Kw}: ecco un modo semplice per cominciare e piccoli passi che si notano subito. Scegli una cosa sola e dedicale un pomeriggio tranquillo.",
      altText: "Un manifesto illustrato con pochi colori e la scritta «{Kw}».",
    },
    Portuguese: {
      titles: ["{Kw}: por onde começar", "{Kw}, explicado com calma", "{Kw} para guardar e fazer depois"],
      description:
        "{Kw}: aqui está uma forma simples de começar e pequenos passos que logo fazem diferença. Escolha uma coisa só e reserve uma tarde tranquila para isso.",
      altText: "Um cartaz ilustrado com poucas cores e o título “{Kw}”.",
    },
    Dutch: {
      titles: ["{Kw}: zo begin je eraan", "{Kw}, rustig uitgelegd", "{Kw} om te bewaren voor later"],
      description:
        "{Kw}: hier vind je een eenvoudig begin en kleine stappen die je meteen ziet. Kies er één uit en neem er een rustige middag de tijd voor.",
      altText: "Een getekende poster in een paar kleuren met de titel “{Kw}”.",
    },
    Polish: {
      titles: ["{Kw}: od czego zacząć", "{Kw} krok po kroku", "{Kw}, które warto zachować"],
      description:
        "{Kw}: znajdziesz tu prosty początek i małe kroki, które szybko widać. Wybierz jeden pomysł i poświęć mu spokojne popołudnie.",
      altText: "Ilustrowany plakat w kilku kolorach z napisem „{Kw}”.",
    },
    Swedish: {
      titles: ["{Kw}: så kommer du igång", "{Kw}, enkelt förklarat", "{Kw} att spara till senare"],
      description:
        "{Kw}: här får du en enkel början och små steg som märks direkt. Välj en sak och ge den en lugn eftermiddag.",
      altText: "En tecknad affisch i några få färger med rubriken ”{Kw}”.",
    },
    Danish: {
      titles: ["{Kw}: sådan kommer du i gang", "{Kw}, forklaret enkelt", "{Kw}, der er værd at gemme"],
      description:
        "{Kw}: her får du en enkel begyndelse og små skridt, som hurtigt kan mærkes. Vælg én ting, og giv den en rolig eftermiddag.",
      altText: "En tegnet plakat i få farver med overskriften “{Kw}”.",
    },
    Norwegian: {
      titles: ["{Kw}: slik kommer du i gang", "{Kw}, enkelt forklart", "{Kw} som er verdt å lagre"],
      description:
        "{Kw}: her får du en enkel begynnelse og små steg som merkes med en gang. Velg én ting og gi den en rolig ettermiddag.",
      altText: "En tegnet plakat i noen få farger med overskriften «{Kw}».",
    },
    Finnish: {
      titles: ["{Kw}: näin pääset alkuun", "{Kw} selitettynä rauhassa", "{Kw} myöhempää varten"],
      description:
        "{Kw}: täältä löydät helpon alun ja pieniä askelia, jotka huomaa heti. Valitse yksi asia ja varaa sille rauhallinen iltapäivä.",
      altText: "Piirretty juliste muutamalla värillä, otsikkona ”{Kw}”.",
    },
    Czech: {
      titles: ["{Kw}: kde začít", "{Kw} jednoduše a v klidu", "{Kw}, které stojí za uložení"],
      description:
        "{Kw}: najdete tu jednoduchý začátek a malé kroky, které jsou hned vidět. Vyberte si jednu věc a věnujte jí klidné odpoledne.",
      altText: "Ilustrovaný plakát v několika barvách s nápisem „{Kw}“.",
    },
    Romanian: {
      titles: ["{Kw}: de unde să începi", "{Kw}, pe înțelesul tuturor", "{Kw} de păstrat pentru mai târziu"],
      description:
        "{Kw}: aici găsești un început simplu și pași mici care se văd imediat. Alege un singur lucru și acordă-i o după-amiază liniștită.",
      altText: "Un afiș ilustrat în câteva culori, cu titlul „{Kw}”.",
    },
    Hungarian: {
      titles: ["{Kw}: így kezdj hozzá", "{Kw} egyszerűen elmagyarázva", "{Kw}, amit érdemes elmenteni"],
      description:
        "{Kw}: itt egy egyszerű kezdetet és apró lépéseket találsz, amelyek hamar látszanak. Válassz ki egyet, és szánj rá egy nyugodt délutánt.",
      altText: "Rajzolt plakát néhány színnel, rajta a „{Kw}” felirattal.",
    },
    Greek: {
      titles: ["{Kw}: από πού να ξεκινήσετε", "{Kw} με απλά λόγια", "{Kw} που αξίζει να κρατήσετε"],
      description:
        "{Kw}: εδώ θα βρείτε μια απλή αρχή και μικρά βήματα που φαίνονται αμέσως. Διαλέξτε ένα μόνο πράγμα και αφιερώστε του ένα ήσυχο απόγευμα.",
      altText: "Μια ζωγραφισμένη αφίσα με λίγα χρώματα και τίτλο «{Kw}».",
    },
    Turkish: {
      titles: ["{Kw}: nereden başlamalı", "{Kw}, adım adım anlatım", "{Kw} için saklanacak fikirler"],
      description:
        "{Kw}: burada kolay bir başlangıç ve hemen fark edilen küçük adımlar bulacaksınız. Bir fikir seçin ve ona sakin bir öğleden sonra ayırın.",
      altText: "Birkaç renkle çizilmiş, üzerinde “{Kw}” yazan bir afiş.",
    },
    Ukrainian: {
      titles: ["{Kw}: з чого почати", "{Kw} простими словами", "{Kw}, які варто зберегти"],
      description:
        "{Kw}: тут ви знайдете простий початок і маленькі кроки, які одразу помітні. Виберіть щось одне й присвятіть цьому спокійний вечір.",
      altText: "Намальований плакат у кількох кольорах із написом «{Kw}».",
    },
    Japanese: {
      titles: ["{Kw}のはじめ方", "{Kw}をやさしく解説", "あとで見返したい{Kw}"],
      description:
        "{Kw}をゆっくり始めるための、かんたんな手順と小さな工夫をまとめました。気になるものをひとつ選んで、静かな午後に試してみてください。",
      altText: "数色で描かれたポスターに「{Kw}」という見出しがあります。",
    },
    Korean: {
      titles: ["{Kw}, 이렇게 시작하세요", "쉽게 알려 주는 {Kw}", "나중에 다시 볼 {Kw}"],
      description:
        "{Kw}을 부담 없이 시작하는 방법과 금방 눈에 띄는 작은 단계를 모았습니다. 하나만 골라 조용한 오후에 천천히 해 보세요.",
      altText: "몇 가지 색으로 그린 포스터에 “{Kw}”라는 제목이 있습니다.",
    },
  };
