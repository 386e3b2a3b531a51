import Link from "next/link";
import type { FaqPiece } from "./faqs.ts";

/** An answer as it is shown. */
export function FaqAnswer({ answer }: { answer: readonly FaqPiece[] }) {
  return (
    <p>
      {answer.map((piece) =>
        typeof piece === "string" ? (
          piece
        ) : (
          <Link key={piece.href} className="link" href={piece.href}>
            {piece.words}
          </Link>
        ),
      )}
    </p>
  );
}
