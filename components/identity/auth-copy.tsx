import type { ReactNode } from "react";

/** A form's title with a sentence below it. */
export function AuthHeader({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <h1 className="screen-title">{title}</h1>
      <p className="mt-2.5 mb-8 text-ink-3">{children}</p>
    </>
  );
}

/** A line below a form that links to another page. */
export function AuthAside({ children }: { children: ReactNode }) {
  return <p className="mt-7 border-t border-line pt-5 text-sm text-ink-2">{children}</p>;
}
