/** Twice the screen's resolution, for print and slides. */
const SCALE = 2;
const EDGE_PX = 24;
const HEAD_PX = 56;
const FOOT_GAP_PX = 12;

/** Sizes of the legend below the chart. */
const LINE_PX = 22;
const MARK_PX = 22;
const GAP_PX = 18;
const TEXT_PX = 13;

/** Properties that the page's style sheets set; the image must carry them inline. */
const STYLE_PROPERTIES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

/** Web fonts are not available inside an SVG image. */
const FONT = "Helvetica, Arial, sans-serif";
const NAMESPACE = "http://www.w3.org/2000/svg";

/** Copies computed styles into a clone, element by element. */
const copyStyles = (from: Element, to: Element): void => {
  const styles = getComputedStyle(from);
  for (const name of STYLE_PROPERTIES) {
    const value = styles.getPropertyValue(name);
    if (value) to.setAttribute(name, value);
  }
  to.removeAttribute("style");
  to.removeAttribute("class");
  for (const [at, child] of [...from.children].entries()) {
    const copy = to.children[at];
    if (copy) copyStyles(child, copy);
  }
};

const shape = (name: string, attributes: Record<string, string | number>, text = ""): SVGElement => {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
};

/** `line`: the metric. `hatch`: days without a value. */
export interface LegendEntry {
  mark: "line" | "hatch";
  text: string;
}

type ColorOf = (name: string) => string;

/** Draws a legend mark as on the page. `x`: its left edge; `y`: its middle. */
const markOf = ({ mark }: LegendEntry, { x, y }: { x: number; y: number }, colorOf: ColorOf): SVGElement[] => {
  if (mark === "line") return [shape("rect", { x, y: y - 1, width: MARK_PX, height: 2, fill: colorOf("--accent") })];
  const stroke = colorOf("--control");
  const strokes = { id: "legend-hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse" };
  const pattern = shape("pattern", { ...strokes, patternTransform: "rotate(45)" });
  pattern.append(shape("path", { d: "M0 0V6", stroke, "stroke-width": 3 }));
  const box = { x: x + 0.5, y: y - 5.5, width: MARK_PX - 1, height: 11 };
  const style = { fill: "url(#legend-hatch)", stroke, "stroke-dasharray": "3 2", opacity: 0.75 };
  return [pattern, shape("rect", { ...box, ...style })];
};

/** Lays out the legend from left to right, wrapping lines. */
const legendOf = (entries: readonly LegendEntry[], top: number, widthPx: number, colorOf: ColorOf) => {
  const ruler = document.createElement("canvas").getContext("2d");
  if (ruler) ruler.font = `${TEXT_PX}px ${FONT}`;
  const shapes: SVGElement[] = [];
  let [x, y] = [EDGE_PX, top + LINE_PX / 2];
  for (const entry of entries) {
    const width = MARK_PX + 7 + (ruler?.measureText(entry.text).width ?? 0);
    if (x > EDGE_PX && x + width > widthPx - EDGE_PX) [x, y] = [EDGE_PX, y + LINE_PX];
    const labels = { x: x + MARK_PX + 7, y: y + TEXT_PX / 3, "font-size": TEXT_PX, fill: colorOf("--ink-3") };
    shapes.push(...markOf(entry, { x, y }, colorOf), shape("text", labels, entry.text));
    x += width + GAP_PX;
  }
  return { shapes, bottom: y + LINE_PX / 2 };
};

interface StandaloneSvg {
  text: string;
  widthPx: number;
  heightPx: number;
}

/** The chart with title, background and legend as a self-contained SVG. */
const toStandaloneSvg = (chart: SVGSVGElement, { title, detail, legend }: ChartImageText): StandaloneSvg => {
  const { width, height } = chart.getBoundingClientRect();
  const page = getComputedStyle(chart);
  const colorOf: ColorOf = (name) => page.getPropertyValue(name).trim();
  const widthPx = width + 2 * EDGE_PX;
  const { shapes, bottom } = legendOf(legend, EDGE_PX + HEAD_PX + height + FOOT_GAP_PX, widthPx, colorOf);
  const heightPx = bottom + EDGE_PX;
  const copy = chart.cloneNode(true) as SVGSVGElement;
  copyStyles(chart, copy);
  const place = { x: EDGE_PX, y: EDGE_PX + HEAD_PX, width, height, viewBox: `0 0 ${width} ${height}` };
  for (const [key, value] of Object.entries(place)) copy.setAttribute(key, String(value));
  const svg = shape("svg", { width: widthPx, height: heightPx, "font-family": FONT });
  svg.append(
    shape("rect", { width: widthPx, height: heightPx, fill: colorOf("--surface") }),
    shape("text", { x: EDGE_PX, y: EDGE_PX + 18, "font-size": 20, fill: colorOf("--ink") }, title),
    shape("text", { x: EDGE_PX, y: EDGE_PX + 40, "font-size": 13, fill: colorOf("--ink-3") }, detail),
    copy,
    ...shapes,
  );
  return { text: new XMLSerializer().serializeToString(svg), widthPx, heightPx };
};

interface ChartImageText {
  title: string;
  detail: string;
  legend: readonly LegendEntry[];
}

/**
 * Renders a chart as a PNG with title and legend, in the current theme.
 * @throws Error when the browser cannot draw it
 */
export const chartImage = async (chart: SVGSVGElement, labels: ChartImageText): Promise<Blob> => {
  const { text, widthPx, heightPx } = toStandaloneSvg(chart, labels);
  const image = new Image(widthPx, heightPx);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(widthPx * SCALE), Math.round(heightPx * SCALE)];
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser has no canvas");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  canvas.toBlob(resolve, "image/png");
  const blob = await promise;
  if (!blob) throw new Error("The canvas returned no image");
  return blob;
};
