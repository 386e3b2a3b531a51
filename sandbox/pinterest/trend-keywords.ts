/** A keyword people search for. `peakMonth` (0 to 11) is when, if it has a season. */
export interface TrendKeyword {
  words: string;
  interest: string;
  peakMonth?: number;
}

const of = (interest: string, ...texts: string[]): TrendKeyword[] =>
  texts.map((text) => {
    const [words = "", month] = text.split("@");
    return { words, interest, ...(month !== undefined && { peakMonth: Number(month) }) };
  });

/** What the stand-in's Pinterest is looking for. */
export const TREND_KEYWORDS: readonly TrendKeyword[] = [
  ...of("home_decor", "small bathroom storage", "limewash bedroom", "entryway bench ideas", "fall mantel decor@9"),
  ...of(
    "home_decor",
    "reading nook ideas",
    "christmas tree corner@11",
    "apartment balcony makeover@4",
    "pantry labels",
  ),
  ...of("gardening", "raised bed layout@2", "cottage garden border@4", "balcony herbs@3", "dahlia care@7"),
  ...of("gardening", "winter window boxes@11", "shade plants", "compost for beginners", "seed starting indoors@1"),
  ...of("food_and_drinks", "sheet pan dinners", "pumpkin soup@9", "overnight oats", "sourdough discard recipes"),
  ...of("food_and_drinks", "picnic food@5", "christmas cookies@11", "high protein breakfast", "lemon pasta"),
  ...of("diy_and_crafts", "paper lanterns", "visible mending", "autumn wreath@9", "advent calendar diy@10"),
  ...of("diy_and_crafts", "linocut ideas", "crochet bag pattern", "pressed flower frames@6", "gift wrapping ideas@11"),
  ...of("wedding", "micro wedding ideas@4", "wildflower bouquet@5", "wedding guest dress@5", "table name cards"),
  ...of("womens_fashion", "capsule wardrobe", "linen outfit@6", "layered winter outfits@0", "office outfits"),
  ...of("mens_fashion", "workwear jacket outfit@9", "linen shirt outfit@6"),
  ...of("beauty", "short nail ideas", "curtain bangs", "christmas nails@11", "summer makeup@6"),
  ...of("travel", "lisbon in three days", "packing list summer@5", "train travel europe@6", "cabin weekend@9"),
  ...of("parenting", "rainy day activities", "toddler lunch ideas", "back to school routine@7", "nursery shelves"),
  ...of("education", "study desk setup@7", "bullet journal spreads@0", "phonics games"),
  ...of("health", "morning stretch routine@0", "meal prep for one", "walking plan"),
  ...of("sport", "couch to 5k@0", "home pilates", "climbing training"),
  ...of("art", "gouache landscapes", "sketchbook prompts", "gallery wall layout"),
  ...of("design", "logo moodboard", "poster layout", "type pairing"),
  ...of("finance", "savings challenge@0", "budget planner"),
  ...of("animals", "indoor cat ideas", "puppy checklist", "bird feeder diy@10"),
  ...of("quotes", "monday quotes", "quotes about rest"),
  ...of("event_planning", "garden party lights@6", "halloween table@9", "new year brunch@11"),
  ...of("architecture", "tiny house plans", "courtyard house", "attic conversion"),
];
