import Link from "next/link";
import type { FaqPiece } from "./faqs.ts";

/** Renders an answer with its links. */
export function FaqAnswer({ answer }: { answer: readonly FaqPiece[] }) {
  return (
    <p>
      {answer.map((piece) =>
        typeof piece === "string" ? (
          piece
        ) : (
          <Link key={piece.href} className="link" href={piece.href}>
            {piece.text}
          </Link>
        ),
      )}
    </p>
  );
}
