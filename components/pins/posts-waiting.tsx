import { Board } from "#components/pins/board.tsx";
import { PinSkeleton } from "#components/ui/skeleton.tsx";

const PLACES = ["a", "b", "c", "d", "e"];

/** The wall while the posts are on their way. */
export function PostsWaiting() {
  return (
    <Board className="posts-board" aria-label="Posts are loading">
      <div className="posts-grid">
        {PLACES.map((place) => (
          <PinSkeleton key={place} />
        ))}
      </div>
    </Board>
  );
}
