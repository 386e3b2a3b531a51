type QuartersProps = {
  entries: readonly { title: string; words: string }[];
  /** In an order that counts: the columns bear numbers. */
  isNumbered?: boolean;
};

/** Short statements side by side, four to a row on wide screens. */
export function Quarters({ entries, isNumbered = false }: QuartersProps) {
  const List = isNumbered ? "ol" : "ul";
  return (
    <List className={isNumbered ? "quarters quarters-numbered" : "quarters"}>
      {entries.map(({ title, words }) => (
        <li key={title}>
          <h3 className="title-3">{title}</h3>
          <p>{words}</p>
        </li>
      ))}
    </List>
  );
}
