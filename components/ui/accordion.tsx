import ChevronDown from "lucide-react/icons/chevron-down";
import type { ReactNode } from "react";

export type AccordionItem = {
  /** Also the id of the answer: an address that ends in `#id` opens it. */
  id: string;
  title: string;
  content: ReactNode;
};

type AccordionProps = {
  /** Items with the same name share one open place, also across several accordions of a page. */
  name: string;
  items: readonly AccordionItem[];
};

/** Questions that open one at a time. The browser does it: no script, and search in the page opens what it finds. */
export function Accordion({ name, items }: AccordionProps) {
  return (
    <div className="accordion">
      {items.map(({ id, title, content }) => (
        <details key={id} name={name} className="accordion-item">
          <summary>
            <h3>{title}</h3>
            <ChevronDown aria-hidden="true" />
          </summary>
          <div id={id} className="accordion-content">
            {content}
          </div>
        </details>
      ))}
    </div>
  );
}
