import { describe, expect, test } from "vitest";
import { inventedNumbers } from "#lib/features/copywriting/invented-numbers.ts";
import { toPageData } from "#lib/features/copywriting/writing.ts";
import { writePinCopy } from "#sandbox/openai/copy.ts";
import { fc } from "#tests/support/properties.ts";
import { facts, NO_PRODUCT, NO_RECIPE } from "#tests/support/web-pages/fixture.ts";

const invented = (text: string, ...sources: string[]) => inventedNumbers([text], sources);

describe("a number that a source has", () => {
  test.each([
    ["Only $24.99", "24.99 USD"],
    ["Only 24,99 €", "$24.99"],
    ["Now $24.90", "24.9 USD"],
    ["$24", "24.00"],
    ["1 299 €", "1299 EUR"],
    ["1\u202f299 €", "€1,299"],
    ["1.299,00 €", "$1,299"],
    ["CHF 1'299.50", "1299.5 CHF"],
    ["1,000,000 fans", "1000000 fans"],
    ["₹1,00,000", "100000 INR"],
    ["20% off", "Save 20 percent"],
    ["20 %", "20%"],
    ["a 5-minute recipe", "Takes 05 minutes"],
    ["٢٤ tiles, １２ pots", "24 tiles, 12 pots"],
    ["1½ cups", "1 1/2 cups"],
    ["10–12 people", "for 10 to 12 people"],
    ["on 12.05.2026", "published 2026-05-12"],
    ["2 300 g jars", "2 jars of 300 g"],
    ["See 127.0.0.1", "127.0.0.1"],
    ["No number", ""],
    ["twenty-five minutes", "25 min"],
    ["3 eggs and 12 rolls", "three eggs and a dozen rolls"],
    ["two hundred tiles", "200 tiles"],
    ["vingt pots", "20 pots"],
    ["vingt-et-un pots, trente-et-une fleurs", "21 pots, 31 fleurs"],
    ["twenty five minutes", "25 minutes"],
    ["Trois mille-feuilles du dimanche, três mil-folhas", ""],
    ["Una Fiat cinquecento del novecento", ""],
    ["twenty percent off", "20%"],
    ["a twenty-dollar mug", "$20"],
    ["2 million fans", "2,000,000 fans"],
    ["2,000,000 fans", "two million fans"],
    ["Under $5K, or $2.5 million", "$5,000 and $2,500,000"],
    ["$5,000", "5k dollars"],
    ["1.5M views, 3 thousand saves", "1500000 views and 3.000 saves"],
    ["10,000 steps", "10k steps"],
    ["1,1 Mio. Euro, 20 Tsd. Fans", "1.100.000 € und 20.000 Fans"],
    ["2 millions d'euros, 10 mil seguidores", "2 000 000 €, 10.000 seguidores"],
    ["3万円, 5천 원", "30,000円, 5,000 원"],
    ["3 hundred thousand tiles, 2 dozen rolls", "300,000 tiles and 24 rolls"],
    ["14k gold, a 14K rose gold chain, a 14k necklace", "14 karat gold"],
    ["a 401k", "401(k)"],
    ["a 6 mil film and a 3-bin shelf", "6-mil film, a shelf with 3 bins"],
    ["5 m long, a 2B pencil, 3 kg", "5 meters, pencils 2 and 3, 3 kilos"],
    ["14k huggies", "14k gold huggies"],
    ["a 14k gold ring", "a 14k solid yellow gold ring"],
    ["A 10m cord $20", "A cord of 10 m, $20"],
    ["Earrings 14k, $99", "14k earrings for $99"],
    ["Earrings 14k $99", "Earrings in 14k, handmade, $99"],
    ["10K gold vs 14K gold hoops", "10k and 14k gold hoops"],
    ["18k and 14k gold", "18 karat and 14 karat gold"],
    ["6 to 12 months, and a 2m rug", "Size 6M-12M, 2 × 3 meters"],
    ["5 km run in 10 days", "A 5K training plan, 10k steps"],
    ["20m followers, 2.5 mn fans", "20 million followers, 2.5 million fans"],
    ["3 Mila baskets", "3 baskets by Mila"],
    ["100.000 pezzi, 5 tisíc, 5 tysięcy", "100 mila pezzi, 5.000"],
    ["3 mil, 3 mila, 3 bin, 4 sute, 3 set", "3.000 y 400"],
    ["a 3 set of 3 mille-feuilles, 2 hundrede", "3, 200"],
    ["10k steps, 1.5M views", "10 thousand steps, 1.5 million views"],
  ])("%s: %s", (text, source) => {
    expect(invented(text, source)).toEqual([]);
  });
});

describe("a number that no source has", () => {
  test.each([
    ["Only $24.99", "24 and 99 things", ["24.99"]],
    ["$99", "$24.99", ["99"]],
    ["Worth $14k", "14k gold ring, $49", ["14k"]],
    ["Earn $10k a month", "How I got 10k followers", ["10k"]],
    ["earn €2m", "a 2m rug", ["2m"]],
    ["Earn $5M", "size 5M, $20", ["5M"]],
    ["$20", "20 pieces", ["20"]],
    ["20% off", "20 pieces", ["20"]],
    ["1,299", "12 and 99", ["1,299"]],
    ["12.06.2026", "2026-05-12", ["12.06.2026"]],
    ["7 ideas for 2027", "6 ideas for 2026", ["7", "2027"]],
    ["٧ ideas", "6 ideas", ["7"]],
    ["½ price", "half", ["1", "2"]],
    ["Ready in Twenty minutes", "30 minutes", ["Twenty"]],
    ["two dozen rolls, half a dozen eggs", "12 rolls", ["two dozen"]],
    ["zwanzig Fliesen, douze pots", "", ["zwanzig", "douze"]],
    ["five percent off", "five pieces", ["five"]],
    ["for ten dollars", "10 pieces", ["ten"]],
    ["20 Prozent günstiger", "20 Stück", ["20"]],
    ["nur 2980円です", "2980 g", ["2980"]],
    ["10k steps", "12 steps", ["10k"]],
    ["$10", "$10k", ["10"]],
    ["10 dollars", "10k dollars", ["10"]],
    ["2 million fans", "2 fans", ["2 million"]],
    ["two million fans", "2 fans", ["two million"]],
    ["2 fans", "2 million fans", ["2"]],
    ["for $5K", "for $5", ["5K"]],
    ["for $5m or $2B", "for $5 or $2", ["5m", "2B"]],
    ["5 thousand dollars", "5,000 pieces", ["5 thousand"]],
    ["1.5M views", "1 view, 15 million", ["1.5M"]],
    ["3 Mio. Fans, 3 milliards d'euros", "3 Fans, 3 €", ["3 Mio.", "3 milliards"]],
    ["10 percent off", "10k pieces", ["10"]],
  ])("%s: %s", (text, source, expected) => {
    expect(invented(text, source)).toEqual(expected);
  });

  test("a plain number may be a price or a percentage in the source", () => {
    expect(invented("all 24 and 20", "$24, 20%")).toEqual([]);
  });

  test("no digit of an accepted text is missing from its sources", () => {
    const word = fc.oneof(fc.nat({ max: 300 }).map(String), fc.constantFrom("moss", "for", "$", "%", "kg"));
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(text, text, (answer, source) => {
        const numbersOf = (from: string) => from.match(/\d+/g) ?? [];
        if (invented(answer, source).length > 0) return;
        // Neighbors may be the thousands of a single number.
        const known = new Set([...numbersOf(source), ...(source.match(/\d+( \d{3})+/g) ?? [])]);
        for (const number of numbersOf(answer)) {
          const joined = [...known].some((one) => one.replaceAll(" ", "").includes(number));
          expect(known.has(number) || joined, `${number} of "${answer}" in "${source}"`).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each([
  "One bowl, two forks, and three ideas for a ten-minute lunch",
  "A hundred ways to use it, sold by the dozen, with thousands of fans in their twenties",
  "My two cents on an elf who seizes his chance for once",
  "Um doce cremoso, e timpul trece",
  "Someone alone in Seventeenth street weighs the tender onzed cones",
])("words that are no numbers, or small ones, need no source: %s", (text) => {
  expect(invented(text, "A page")).toEqual([]);
});

describe("numbers in words in the languages of copy", () => {
  test.each([
    ["de", "In fünfundzwanzig Minuten fertig, mit zweihundert Kacheln", ["fünfundzwanzig", "zweihundert"]],
    ["de", "Nur drei Euro, für dreißig Gäste", ["drei", "dreißig"]],
    [
      "fr",
      "Pour trois euros, soixante-douze idées et quatre-vingts pots",
      ["trois", "soixante-douze", "quatre-vingts"],
    ],
    ["es", "Treinta y dos ideas por cinco euros, diez mil plantas", ["Treinta y dos", "cinco", "diez mil"]],
    ["it", "Trenta idee in venticinque minuti", ["Trenta", "venticinque"]],
    ["pt", "Trinta e uma ideias por dez euros", ["Trinta e uma", "dez"]],
    ["nl", "Tweeëntwintig recepten voor tien euro", ["Tweeëntwintig", "tien"]],
    ["pl", "Dwanaście pomysłów na dwadzieścia pięć minut za pięć złotych", ["Dwanaście", "dwadzieścia pięć", "pięć"]],
    ["sv", "Tolv recept på tjugofem minuter för fem kr", ["Tolv", "tjugofem", "fem"]],
    ["da", "Tolv opskrifter på femogtyve minutter, tredive procent billigere", ["Tolv", "femogtyve", "tredive"]],
    ["no", "Tretten ideer på tjue minutter, fem prosent rabatt", ["Tretten", "tjue", "fem"]],
    [
      "fi",
      "Kaksitoista ideaa, kaksikymmentäviisi minuuttia, viisi euroa",
      ["Kaksitoista", "kaksikymmentäviisi", "viisi"],
    ],
    ["cs", "Dvanáct nápadů za třicet minut, pět tisíc kč", ["Dvanáct", "třicet", "pět tisíc"]],
    ["ro", "Douăzeci și cinci de idei, treizeci de minute", ["Douăzeci și cinci", "treizeci"]],
    ["ro", "Doisprezece idei, şaizeci de minute", ["Doisprezece", "şaizeci"]],
    ["hu", "Tizenkét ötlet harminc perc alatt, öt forint", ["Tizenkét", "harminc", "öt"]],
    ["el", "Δώδεκα ιδέες σε είκοσι πέντε λεπτά με πέντε ευρώ", ["Δώδεκα", "είκοσι πέντε", "πέντε"]],
    ["tr", "On iki fikir, yirmi beş dakika, üç bin parça", ["On iki", "yirmi beş", "üç bin"]],
    ["uk", "Дванадцять ідей за двадцять п'ять хвилин, п'ять гривень", ["Дванадцять", "двадцять п'ять", "п'ять"]],
    ["ko", "열두 가지 아이디어, 스물다섯 개의 화분", ["열두", "스물다섯"]],
  ])("%s: %s", (_language, text, expected) => {
    expect(invented(text, "A page")).toEqual(expected);
    expect(invented(text, "3 €, 12, 13, 20, 22, 25, 30, 31, 32, 60, 72, 80, 200, 10000, 3000")).not.toContain(
      expected[0],
    );
  });

  test.each([
    "Ein Rezept für drei Gäste, mit acht Zutaten, und hundert kleine Ideen",
    "Un sac à dos $20 neuf, avec trois poches et mille idées",
    "Sieben Sie das Mehl zweimal. Die Elf im Wald",
    "Das ist eine Idee für Otto, in der ich bin",
    "Una receta para dos, con tres pasos y mil ideas",
    "Per lei, due idee facili e sei fiori per mille occasioni",
    "Um doce para dois, com três camadas e mil ideias",
    "Een recept voor twee, in drie stappen, uit onze keuken",
    "Przepis dla dwojga, trzy kroki, sto pomysłów i tysiąc smaków",
    "Ett recept för två, i tre steg, tusen tack",
    "En opskrift til to, med fire trin, og tyve stjæler den ikke",
    "En oppskrift for to, i fire trinn, tusen takk",
    "Kuusi on kaunis, ja kaksi kynttilää riittää sata kertaa",
    "Recept pro dva, tři kroky, sto nápadů",
    "O rețetă pentru noi doi, cu trei pași și o mie de idei",
    "Egy recept hétre, három lépés, ezer ötlet",
    "Μια συνταγή για δύο, με τρία βήματα και εκατό ιδέες",
    "İki kişilik tarif, üç adım, kırk yama, bin fikir, altı yumuşak",
    "Рецепт для двох, три кроки, сто ідей і гніздо сорок",
    "두 사람을 위한 네 가지 방법, 열심히 만든 쉰 김치",
    "二人分のレシピ、十分な時間と三日月の飾り",
    "Amazon Fire $49, due $20, on $5 sale, to $10, opt in, a hat $15",
  ])("an ordinary text has none: %s", (text) => {
    expect(invented(text, "$20, $49, $5, $10, $15")).toEqual([]);
  });

  test("tens and ones with a space may be one number or two", () => {
    expect(invented("dwadzieścia pięć minut", "25 min")).toEqual([]);
    expect(invented("dwadzieścia pięć minut", "20 min")).toEqual([]);
    expect(invented("dwadzieścia pięć minut", "26 min")).toEqual(["dwadzieścia pięć"]);
  });
});

describe("without a page", () => {
  const claims = (text: string, keyword: string) => inventedNumbers([text], [keyword], "claims");

  test.each([
    ["7 ideas for 2027 that take twenty minutes", "balcony"],
    ["Gifts under $25", "gifts under 25"],
    ["Save twenty percent", "20% off sale"],
    ["Half the work in one bowl", "bread"],
    ["Pin it now and try one part of it. Try 7 ideas", "bread"],
    ["Quand ils 2 dansent", "bal"],
    ["Fold 12 stars, then add 200 g sugar and 30 g protein powder", "star cookies"],
    ["A soup of 180 calories", "180 calorie soup"],
  ])("counts are no claims, and the user's own numbers may be used: %s", (text, keyword) => {
    expect(claims(text, keyword)).toEqual([]);
  });

  test("ordinary texts have none", () => {
    for (const keyword of ["fern pots", "moss walls", "small kitchens", "vegan dinner", "oak shelves"]) {
      for (let n = 0; n < 40; n += 1) {
        const { title, description, altText } = writePinCopy({ keyword, insteadOf: String(n) });
        expect(inventedNumbers([title, description, altText], [keyword], "claims")).toEqual([]);
      }
    }
  });

  test.each([
    ["The makeover cost under $300", "boys bedroom", ["300"]],
    ["Nur 19,90 €", "mug", ["19,90"]],
    ["100% cotton, 30 percent off", "7 linen shirts", ["100", "30"]],
    ["For twenty dollars, or ten euros", "mug 2027", ["twenty", "ten"]],
    ["only 1 299 €", "sofa", ["299"]],
    ["TRY 500 a night", "cave hotel", ["500"]],
    ["Rated 4.8 stars, with 1,200 reviews", "face oil", ["4.8", "1,200"]],
    ["Rated by 10k reviews, for $2 million", "face oil for 2 in 12", ["10k", "2 million"]],
    ["Environ 180 calories et 38 g de protéines", "soupe", ["180", "38"]],
  ])("a price, a percentage, a rating, or what is in food is made up: %s", (text, keyword, expected) => {
    expect(claims(text, keyword)).toEqual(expected);
  });
});

test("a model gets what the page says, with prices next to their currency and times in words", () => {
  const data = toPageData(
    facts({
      title: "Tart",
      text: "About a tart.",
      product: { ...NO_PRODUCT, name: "Mug", price: "19.00", highPrice: "24.5", currency: "EUR" },
      recipe: { ...NO_RECIPE, ingredients: ["3 lemons"], prepMinutes: 20, totalMinutes: 90 },
      images: ["https://cdn.example/1.jpg"],
    }),
  );
  expect(data).toEqual({
    title: "Tart",
    text: "About a tart.",
    product: { name: "Mug", price: "19.00 EUR to 24.5 EUR" },
    recipe: { ingredients: ["3 lemons"], prep_time: "20 min", total_time: "1 h 30 min (90 minutes)" },
  });
});
