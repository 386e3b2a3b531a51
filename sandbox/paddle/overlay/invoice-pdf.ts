const PAGE_WIDTH = 595;
const PAGE_HEIGHT = 842;
const MARGIN = 64;
const HEADING_SIZE = 22;
const TEXT_SIZE = 11;
const LEADING = 20;

/** Characters of the usual encoding of PDF's own fonts; others would need a font of their own. */
const PLAIN = /[^\x20-\x7e\xa0-\xff]/g;
const SIGNS: Record<string, string> = { "€": "EUR ", "₹": "INR ", "₩": "KRW ", "\u202f": " " };

/** One page of text lines, the first a heading, as a PDF file. */
export function writePdf(lines: string[]): Uint8Array<ArrayBuffer> {
  const text = lines.map((line, index) => {
    const size = index === 0 ? HEADING_SIZE : TEXT_SIZE;
    return `/F1 ${size} Tf (${escaped(line)}) Tj 0 -${LEADING} Td`;
  });
  const content = `BT ${MARGIN} ${PAGE_HEIGHT - MARGIN - HEADING_SIZE} Td ${text.join("\n")} ET`;
  return assemble([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE_WIDTH} ${PAGE_HEIGHT}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ]);
}

/** Objects with the table that says at which byte each begins. */
function assemble(objects: string[]): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.4\n";
  const starts = objects.map((object, index) => {
    const start = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const table = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const tail = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Uint8Array.from(Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${table}${tail}`, "latin1"));
}

function escaped(line: string): string {
  const plain = line.replace(/[€₹₩\u202f]/g, (sign) => SIGNS[sign] ?? "").replace(PLAIN, "?");
  return plain.replace(/[\\()]/g, (sign) => `\\${sign}`);
}
