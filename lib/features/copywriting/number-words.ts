import "server-only";

/**
 * From 1 to 19, then the tens from 20 to 90; forms of a number are separated by `/`. Words with `!` mean something else in
 * one of our languages, so they count only next to another number, as in "treinta y dos" (listed in decision 40).
 */
interface Language {
  words: string;
  /** Between tens and ones, as a pattern; `back`: between ones and tens. */
  joint?: string;
  back?: string;
  /** Words for hundred and thousand. They count after another number only: "tusen takk" is no number. */
  hundred?: string;
  thousand?: string;
  dozen?: string;
}

const LANGUAGES: readonly Language[] = [
  {
    words: `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
      eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety`,
    ...{ joint: "-| ", hundred: "hundred", thousand: "thousand", dozen: "dozen" },
  },
  {
    words: `!eins/ein zwei drei vier fünf sechs sieben acht neun zehn !elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
      achtzehn neunzehn zwanzig dreißig/dreissig vierzig fünfzig sechzig siebzig achtzig neunzig`,
    ...{ back: "und", hundred: "hundert", thousand: "tausend" },
  },
  {
    words: `!un/une deux trois quatre cinq six !sept huit !neuf dix !onze douze treize quatorze quinze !seize dix-sept
      dix-huit dix-neuf vingt trente quarante cinquante soixante soixante-dix quatre-vingts/quatre-vingt quatre-vingt-dix`,
    ...{ joint: "-et-|-| et ", thousand: "mille(?!-)" },
  },
  {
    words: `!un/uno/una !dos !tres cuatro cinco seis siete ocho nueve diez !once !doce !trece catorce !quince dieciséis
      diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa`,
    ...{ joint: " y ", thousand: "mil" },
  },
  {
    words: `!uno !due tre/tré quattro cinque !sei sette !otto nove dieci undici dodici tredici quattordici quindici sedici
      diciassette diciotto diciannove !venti trenta quaranta cinquanta sessanta settanta ottanta novanta`,
    // "Novecento" is a style, and "cinquecento" a car.
    ...{ joint: "", thousand: "mila" },
  },
  {
    words: `!um/uma !dois/duas três quatro cinco seis sete oito nove dez !onze !doze treze catorze/quatorze quinze
      dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove vinte trinta quarenta cinquenta sessenta setenta
      oitenta noventa`,
    ...{ joint: " e ", thousand: "mil(?!-)" },
  },
  {
    words: `!een twee drie vier vijf zes zeven acht negen tien !elf twaalf dertien veertien vijftien zestien zeventien
      achttien negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig`,
    ...{ back: "en|ën", hundred: "honderd", thousand: "duizend" },
  },
  {
    words: `!jeden dwa/dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście
      czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście dwadzieścia trzydzieści czterdzieści
      pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt`,
    ...{ joint: " ", hundred: "sta|set", thousand: "tysiące|tysięcy" },
  },
  {
    words: `!ett två tre fyra fem !sex sju åtta !nio !tio !elva tolv tretton fjorton femton !sexton !sjutton arton nitton
      tjugo trettio fyrtio femtio sextio sjuttio åttio nittio`,
    ...{ joint: "", hundred: "hundra", thousand: "tusen" },
  },
  {
    words: `!en !to tre !fire fem seks syv otte !ni !ti elleve tolv tretten fjorten femten seksten !sytten atten nitten
      !tyve tredive fyrre halvtreds !tres halvfjerds !firs halvfems`,
    ...{ back: "og", hundred: "hundrede", thousand: "tusind|tusinde" },
  },
  {
    words: `!en !to tre !fire fem seks sju/syv åtte !ni !ti elleve tolv tretten fjorten femten seksten !sytten atten nitten
      tjue tretti førti femti seksti sytti åtti nitti`,
    ...{ joint: "", hundred: "hundre", thousand: "tusen" },
  },
  {
    words: `!yksi kaksi kolme neljä viisi !kuusi seitsemän kahdeksan yhdeksän kymmenen yksitoista kaksitoista kolmetoista
      neljätoista viisitoista kuusitoista seitsemäntoista kahdeksantoista yhdeksäntoista kaksikymmentä kolmekymmentä
      neljäkymmentä viisikymmentä kuusikymmentä seitsemänkymmentä kahdeksankymmentä yhdeksänkymmentä`,
    ...{ joint: "", hundred: "sataa", thousand: "tuhatta" },
  },
  {
    words: `!jeden/jedna dva/dvě tři čtyři pět šest sedm osm devět deset jedenáct dvanáct třináct čtrnáct patnáct šestnáct
      sedmnáct osmnáct devatenáct dvacet třicet čtyřicet padesát šedesát sedmdesát osmdesát devadesát`,
    ...{ joint: " ", hundred: "sta|stě|set", thousand: "tisíc|tisíce" },
  },
  {
    words: `!unu/una doi/două trei patru cinci șase șapte !opt !nouă zece unsprezece doisprezece/douăsprezece treisprezece
      paisprezece cincisprezece șaisprezece șaptesprezece optsprezece nouăsprezece douăzeci treizeci patruzeci cincizeci
      șaizeci șaptezeci optzeci nouăzeci`,
    ...{ joint: " și ", hundred: "sute(?: de)?", thousand: "mii(?: de)?" },
  },
  {
    words: `!egy két/kettő három négy öt !hat !hét nyolc kilenc tíz tizenegy tizenkettő/tizenkét tizenhárom tizennégy
      tizenöt tizenhat tizenhét tizennyolc tizenkilenc húsz harminc negyven ötven hatvan hetven nyolcvan kilencven`,
    ...{ joint: "", hundred: "száz", thousand: "ezer" },
  },
  {
    words: `!ένα/μία δύο/δυο τρία/τρεις τέσσερα/τέσσερις πέντε έξι επτά/εφτά οκτώ/οχτώ εννέα/εννιά δέκα έντεκα δώδεκα
      δεκατρία/δεκατρείς δεκατέσσερα δεκαπέντε δεκαέξι/δεκάξι δεκαεπτά/δεκαεφτά δεκαοκτώ/δεκαοχτώ δεκαεννέα/δεκαεννιά
      είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα`,
    ...{ joint: " ", thousand: "χιλιάδες" },
  },
  {
    words: `!bir iki üç dört beş !altı !yedi sekiz dokuz !on on_bir on_iki on_üç on_dört on_beş on_altı on_yedi on_sekiz
      on_dokuz yirmi otuz !kırk !elli altmış yetmiş seksen doksan`,
    ...{ joint: " ", thousand: "bin" },
  },
  {
    words: `!один два/дві три чотири п'ять шість сім вісім дев'ять десять одинадцять дванадцять тринадцять чотирнадцять
      п'ятнадцять шістнадцять сімнадцять вісімнадцять дев'ятнадцять двадцять тридцять !сорок п'ятдесят шістдесят
      сімдесят вісімдесят дев'яносто`,
    ...{ joint: " ", thousand: "тисячі|тисяч" },
  },
  {
    words: `!하나/한 !둘/두 !셋/세 !넷/네 !다섯 !여섯 !일곱 !여덟 !아홉 !열 열한/열하나 열두/열둘 열세/열셋 열네/열넷 열다섯
      열여섯 열일곱 열여덟 열아홉 스무/스물 서른 마흔 !쉰 예순 일흔 여든 아흔`,
    joint: "",
  },
];

/** What multiplies a number of all these languages before it: words as patterns. */
const multiplesIn = (name: "hundred" | "thousand" | "dozen"): string[] => [
  ...new Set(LANGUAGES.flatMap((language) => language[name]?.split("|") ?? [])),
];
export const MULTIPLES = {
  dozen: multiplesIn("dozen"),
  hundred: multiplesIn("hundred"),
  thousand: multiplesIn("thousand"),
};

/** Of the same length: Romanian letters are often written as Turkish ones, and apostrophes as letters. */
const folded = (text: string): string =>
  text
    .replace(/\p{Lu}/gu, (letter) => (letter === "İ" ? "i" : letter.toLowerCase()))
    .replaceAll("ş", "ș")
    .replaceAll("ţ", "ț")
    .replaceAll("ʼ", "'");

const TEENS_END = 19;

interface Words {
  values: ReadonlyMap<string, number>;
  pattern: RegExp;
}

/** The longest first, so that a part of a word is never taken for it. */
const anyOf = (words: readonly string[]): string => words.toSorted((a, b) => b.length - a.length).join("|");

const toWords = ({ words, joint, back, ...multiples }: Language): Words => {
  const forms = folded(words)
    .split(/\s+/)
    .flatMap((listed, at) => {
      const value = at < TEENS_END ? at + 1 : 10 * (at - TEENS_END + 2);
      const spellings = listed.replace("!", "").replaceAll("_", " ").split("/");
      return spellings.map((word) => ({ word, value, isAlone: !listed.startsWith("!") }));
    });
  const those = (isWanted: (form: (typeof forms)[number]) => boolean) =>
    anyOf(forms.filter(isWanted).map(({ word }) => word));
  const tens = those(({ value }) => value >= 20);
  // "Soixante-douze" is 72.
  const ones = those(({ value }) => value < (joint?.includes("et") ? 20 : 10));
  const pairs = [
    joint !== undefined && `(?<tens>${tens})(?<joint>${joint})(?<ones>${ones})`,
    back && `(?<ones>${ones})(?:${back})(?<tens>${tens})`,
  ].filter(Boolean);
  const single = `(?<single>${those(({ isAlone }) => isAlone)})`;
  const { hundred, thousand, dozen } = multiples;
  const named = Object.entries({ hundred, thousand, dozen }).flatMap(([name, word]) =>
    word ? `(?<${name}>${word})` : [],
  );
  const times = named.length > 0 ? `(?: ?(?:${named.join("|")}))?` : "";
  return {
    values: new Map(forms.map(({ word, value }) => [word, value])),
    pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...pairs, single].join("|")})${times}(?![\\p{L}\\p{N}])`, "gu"),
  };
};

const WORDS = LANGUAGES.map(toWords);

/** `A hundred ways` and `by the dozen` are no numbers; `a dozen eggs` is. */
const DOZENS = /(?<![\p{L}\p{N}])(?<half>half )?a dozen(?![\p{L}\p{N}])/gu;

interface NumberWords {
  raw: string;
  /** "Twenty five" may be one number or two. */
  values: number[];
  from: number;
  to: number;
}

type Groups = Record<string, string | undefined>;

const valuesOf = (values: ReadonlyMap<string, number>, groups: Groups): number[] => {
  const { single, tens = "", joint, ones = "" } = groups;
  const times = (groups.hundred ? 100 : 1) * (groups.thousand ? 1_000 : 1) * (groups.dozen ? 12 : 1);
  if (single !== undefined) return [(values.get(single) ?? 0) * times];
  const [first, second] = [values.get(tens) ?? 0, values.get(ones) ?? 0];
  return joint === " " ? [(first + second) * times, first] : [(first + second) * times];
};

const found = (text: string, pattern: RegExp, toValues: (groups: Groups) => number[]): NumberWords[] =>
  [...text.matchAll(pattern)].map(({ 0: raw, index: from, groups = {} }) => {
    return { raw, values: toValues(groups), from, to: from + raw.length };
  });

/** Numbers that a text has in words, such as `twenty-five`, `two dozen`, and `vingt`. */
export const numberWordsIn = (text: string): NumberWords[] => {
  const searched = folded(text);
  const all = [
    ...found(searched, DOZENS, ({ half }) => [half ? 6 : 12]),
    ...WORDS.flatMap(({ values, pattern }) => found(searched, pattern, (groups) => valuesOf(values, groups))),
  ];
  // Languages share words, so the longest one at a place counts.
  const longest = all.toSorted((a, b) => a.from - b.from || b.to - a.to);
  const kept: NumberWords[] = [];
  for (const one of longest) {
    if (one.from >= (kept.at(-1)?.to ?? 0)) kept.push({ ...one, raw: text.slice(one.from, one.to) });
  }
  return kept;
};
