type CodeBlockProps = { label: string; children: string };

/** Code that scrolls sideways instead of wrapping. */
export function CodeBlock({ label, children }: CodeBlockProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="max-h-[32rem] overflow-auto rounded-control border border-line bg-well px-4 py-3.5"
    >
      <pre className="font-mono text-xs/[1.6]">
        <code>{children}</code>
      </pre>
    </section>
  );
}
