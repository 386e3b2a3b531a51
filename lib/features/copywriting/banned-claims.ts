import "server-only";

/**
 * Promises of health, income, or success, false scarcity, and invented recommendations, by language. The prompt forbids
 * them in every language.
 */
export const CLAIMS: Readonly<Record<string, readonly RegExp[]>> = {
  en: [
    /\b(cures?|curing|heals?|reverses?|eliminates?|erases?|gets? rid of) (your |all |any |the )?(\w+ )?(acne|anxiety|arthritis|asthma|cancer|cellulite|colds?|depression|diabetes|disease|eczema|flu|illness|inflammation|insomnia|migraines?|pain|scars|stretch marks|wrinkles)\b/i,
    /\b(miracle (cure|diet|cream|pill|serum|drink)|magic (cure|pill)|flush(es)? (out )?toxins|detox(es|ifies)? your|melts? (away )?(belly )?fat|burns? fat|lose weight (fast|overnight|without)|resets? your (metabolism|hormones)|boosts? your (metabolism|immune)|no side effects|treats (your )?(acne|anxiety|arthritis|asthma|cancer|depression|diabetes|eczema|insomnia|migraines?|psoriasis)|regrows? (your )?(lost |thinning |thin )?hair|(without|instead of) (medication|surgery)|(clinically|scientifically) proven|doctors? (hate|recommend)|doctor[- ]approved)\b/i,
    /\b(guarantee[sd]?|risk[- ]free|never fails?|can't fail|works every time|works for everyone|instant results|results overnight|overnight success|foolproof results)\b/i,
    /\b(get rich|make money (fast|while you sleep|overnight)|quit your (day )?job|financial freedom|easy money|unlimited income|(can ?not|can['’]t|never|won['’]t) lose (money|value|your savings)|(safe|sure|certain|quick|fast) (road|path|way|route) to (wealth|riches)|replace your (salary|income)|earn (thousands|a fortune|a full[- ]time income))\b/i,
    /#\s?1 (choice|brand|rated|best|in )|\bnumber one (choice|brand|rated|best)\b|\bworld['’]?s (best|greatest|most|finest|softest|cutest)\b|\b(best|greatest|finest|most \w+) .{0,40}(in the (entire |whole )?(world|universe|planet)|on (the planet|earth))\b|\bbest ever\b|\b(best|greatest) .{0,30}of all time\b|\bunbeatable\b/i,
    /\b(only (a )?(few|handful) left|selling out|sold out (soon|everywhere)|almost gone|limited stock|last chance to (buy|order|get|save)|never (be )?(available|restocked) again|before (it's|they're|it is|they are) gone|gone (by|after) (tonight|midnight|tomorrow)|hurry,? (before|while|up\b)|hurry!)/i,
    /\b(celebrit(y|ies)|experts?|dermatologists?|nutritionists?|vets?|pediatricians?|oprah|pinterest|nasa)( everywhere)? (swear|recommend|approve|endorse|agree|love)|\b(loved|used|worn|approved|recommended|endorsed|trusted) by (oprah|celebrit|dermatolog|doctors?|experts?|hollywood|royal|vets|nutrition|pediatric)/i,
  ],
  de: [
    /\b(heilt|heilung von|wunder(mittel|kur|diät|waffe)|garantier(t|te[nrs]?)\b|ohne nebenwirkungen|für immer (los|frei)|reich werden|schnell(es|em)? (geld|reich)|weltbeste|(beste|schönste|leckerste)\w* .{0,30}der (ganzen )?welt\b|nur noch (wenige (stück|exemplare|plätze)|heute)|ärzt(e|en|innen) (empfehlen|hassen|empfohlen)|hautärzt\w+ (empfehlen|schwören)|(klinisch|wissenschaftlich) (bewiesen|bestätigt|erwiesen)|letzte chance|nie wieder (erhältlich|verfügbar)|sicheres einkommen)/i,
  ],
  fr: [
    /(guéri(t|ssent|r)|\bremède miracle|miraculeu(x|se)|garanti(e|s|es)?\b|assuré(e|s|es)? (dès|en|sans)|sans effets? secondaires?|argent facile|devenir riche|meilleur(e|s|es)? .{0,30}(du|au) monde|plus que quelques (pièces|exemplaires|places)|dernière chance|plus jamais disponible|dermatologues? recommand|médecins? recommand|recommandé(e|s|es)? par (les|des) (médecins|dermatologues|experts|stars|célébrités)|approuvé(e|s|es)? par|(cliniquement|scientifiquement) prouvé)/i,
  ],
  es: [
    /\b(cura|curan|elimina|eliminan) (el|la|los|las|tu|tus) (acné|ansiedad|arrugas|celulitis|dolor\w*|diabetes|cáncer|insomnio|depresión|estrías|migraña\w*)\b|milagro(s[oa]s?)\b|remedio milagro|garantizad[oa]s?\b|sin efectos secundarios|dinero fácil|ingresos (seguros|asegurados)|(hazte|hacerte|hacerse) rico|(mejor(es)?|más \w+) .{0,30}del mundo|últim[oa]s (unidades|piezas)|última oportunidad|(médicos|dermatólogos|expertos|famos[oa]s) (la |lo |los |las )?(recomiendan|aprueban)|recomendad[oa]s? por (médicos|dermatólogos|expertos|famos)|(clínicamente|científicamente) (probado|comprobado)/i,
  ],
  it: [
    /guarisc(e|ono)|miracolos[oaie]|garantit[oaie]\b|soldi facili|guadagni (sicuri|assicurati)|diventare ricc|(miglior(e|i)?|più \w+) .{0,30}(del|al) mondo|ultim(i|issimi) pezzi|mai più disponibil|ultima occasione|(medici|dermatologi|esperti) (lo |la )?(consigliano|raccomandano)|consigliat[oaie] da(i|gli)? (medici|dermatologi|esperti|vip)|(clinicamente|scientificamente) (provato|testato|dimostrato)/i,
  ],
  pt: [
    /\b(cura|curam|elimina|eliminam) (a|o|as|os|qualquer|sua|seu) (acne|ansiedade|rugas|celulite|dor\w*|diabetes|câncer|insônia|depressão|estrias|enxaqueca)\b|milagros[oa]s?|garantid[oa]s?\b|sem efeitos colaterais|dinheiro fácil|renda (garantida|certa)|ficar rico|(melhor(es)?|mais \w+) .{0,30}do mundo|últimas (unidades|peças)|última chance|(médicos|dermatologistas|especialistas) recomendam|(clinicamente|cientificamente) (comprovad|testad)/i,
  ],
  nl: [
    /geneest|genezen van|wonder(middel|kuur)|gegarandeerd|zonder bijwerkingen|snel rijk|(beste|mooiste|lekkerste) .{0,30}(ter|van de) wereld|laatste (kans|stuks)|(artsen|dermatologen|experts) (raden|bevelen|zweren)|aanbevolen door (artsen|dermatologen|experts)|(klinisch|wetenschappelijk) bewezen/i,
  ],
  pl: [
    /leczy|wyleczy|cudown(y|a|e) (lek|środek|sposób|kuracja)|gwarantuj|gwarantowan|gwarancj|szybkie pieniądze|(najlepsz\w+|najpięknie\w+) .{0,30}na świecie|ostatni(a|e) (szansa|sztuki)|lekarz(e|y) poleca|polecan[yae] przez (lekarz|ekspert|dermatolog)|(klinicznie|naukowo) (potwierdzon|udowodnion)/i,
  ],
  ja: [
    /治る|治ります|治せ|奇跡の|保証|(世界|日本)一(?!周)|(医師|専門家|皮膚科医)(が|も|の)?(推奨|おすすめ)|誰でも稼げ|残りわずか/,
  ],
};
