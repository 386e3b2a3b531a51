import type { ReactNode } from "react";

type ScreenHeadProps = {
  title: string;
  /** One sentence on what this screen is for. */
  children?: ReactNode;
  /** The screen's action, at the right end. */
  action?: ReactNode;
};

/** Title, one sentence, one action: the head of every screen in the signed-in area. */
export function ScreenHead({ title, children, action }: ScreenHeadProps) {
  return (
    <div className="screen-head">
      <div>
        <h1 className="screen-title">{title}</h1>
        {children && <p>{children}</p>}
      </div>
      {action}
    </div>
  );
}
