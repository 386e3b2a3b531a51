const LAYERS = [
  { where: "In the file", what: "trainedAlgorithmicMedia", words: "IPTC’s word for a picture that a model made." },
  { where: "With the pin", what: "AI_MODIFIED", words: "Sent beside title and link when the pin is created." },
  { where: "On the pin", what: "AI modified", words: "What people read when they open it." },
] as const;

/** The three places in which a pin says how it was made. */
export function DisclosureFigure() {
  return (
    <ol className="disclosure">
      {LAYERS.map(({ where, what, words }) => (
        <li key={where}>
          <span>{where}</span>
          <b>{what}</b>
          <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}
