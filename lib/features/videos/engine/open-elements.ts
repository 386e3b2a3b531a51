import { codeOf, type TagScanner } from "./scan-tags.ts";

const codes = (names: string): Set<number> => new Set(names.split(" ").map(codeOf));

const VOID = codes("area base br col embed hr img input link meta param source track wbr");
/** Elements that a slash at the end does not close; those of drawings it does. */
const CONTAINERS = codes(
  "div span a p b i u em strong small h1 h2 h3 h4 h5 h6 ul ol li table tr td th section article main header footer nav button label form picture video script style title html body head",
);

/** So far up an element is looked for that a closing tag may mean; farther up the tag is taken for a stray one. */
const REACH = 32;

/** The elements that are open at a place of the page, as far as closing tags tell. */
export class OpenElements {
  /** Of these, the first `length` are open. */
  private readonly stack: number[] = [];
  length = 0;

  /** Takes an opening tag; false for an element that has no inside. */
  open({ code, isSelfClosing }: Pick<TagScanner, "code" | "isSelfClosing">): boolean {
    if (VOID.has(code) || (isSelfClosing && !CONTAINERS.has(code))) return false;
    this.stack[this.length] = code;
    this.length += 1;
    return true;
  }

  /** Takes a closing tag: closes the nearest such element with all that is open within; ignores a stray one. */
  close(code: number): void {
    const { stack } = this;
    const last = this.length - 1;
    for (let place = last; place >= 0 && place > last - REACH; place -= 1) {
      if (stack[place] === code) {
        this.length = place;
        return;
      }
    }
  }
}
