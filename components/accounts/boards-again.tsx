import { useLayoutEffect, useRef } from "react";
import type { Boards } from "#components/accounts/use-boards.ts";
import { Button } from "#components/ui/button.tsx";

type BoardsAgainProps = {
  boards: Boards;
  /** What gets the focus once the boards are there, and the button is not. */
  focusAfter: () => HTMLElement | null;
};

function Again({ boards, focusAfter }: BoardsAgainProps) {
  const button = useRef<HTMLButtonElement>(null);
  const next = useRef(focusAfter);
  next.current = focusAfter;
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      // What comes next can be focused only once the page has changed.
      if (current === document.activeElement) queueMicrotask(() => next.current()?.focus());
    };
  }, []);
  return (
    <Button ref={button} size="sm" className="justify-self-start" onClick={boards.reload}>
      Try again
    </Button>
  );
}

/** Below a chooser whose boards could not be read: asks Pinterest again. Nothing while they can. */
export function BoardsAgain(props: BoardsAgainProps) {
  return props.boards.problem === null ? null : <Again {...props} />;
}
