import type { ComponentProps, MouseEvent } from "react";
import { router } from "../router.ts";

type LinkProps = ComponentProps<"a"> & {
  href: string;
  replace?: boolean;
  scroll?: boolean;
  prefetch?: boolean | null | "auto";
  onNavigate?: (event: { preventDefault: () => void }) => void;
};

/** `next/link` of component tests: an anchor whose plain click goes to the router. */
export default function Link({ href, replace, scroll, prefetch, onNavigate, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isOther = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    const isElsewhere = (rest.target && rest.target !== "_self") || rest.download !== undefined;
    if (event.defaultPrevented || isOther || isElsewhere) return;
    event.preventDefault();
    let isHeld = false;
    onNavigate?.({
      preventDefault: () => {
        isHeld = true;
      },
    });
    if (!isHeld) router[replace ? "replace" : "push"](href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}
