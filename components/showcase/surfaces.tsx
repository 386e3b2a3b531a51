import { EmptyState } from "#components/shared/empty-state.tsx";
import { Columns, Row, Specimen, Specimens } from "#components/showcase/specimen.tsx";
import { Accordion } from "#components/ui/accordion.tsx";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { PinSkeleton, Skeleton } from "#components/ui/skeleton.tsx";

const QUESTIONS = [
  { id: "specimen-credit", title: "How much does a pin cost?", content: <p>One credit, or two for high quality.</p> },
  { id: "specimen-loss", title: "What if it fails?", content: <p>Its credits are returned automatically.</p> },
];

const TONES: readonly BannerTone[] = ["plain", "success", "low", "failed"];

/** Banners, accordions, empty states and skeletons. */
export function Surfaces() {
  return (
    <Specimens id="surfaces" title="Banners, accordion, empty and loading states">
      {TONES.map((tone) => (
        <Specimen key={tone} name={`banner, ${tone}`}>
          <Banner tone={tone} action={<Button size="sm">Try again</Button>}>
            Pinterest couldn't open the link. Fix it and try again.
          </Banner>
        </Specimen>
      ))}
      <Specimen name="accordion, one open at a time">
        <Accordion name="specimen" items={QUESTIONS} />
      </Specimen>
      <Columns>
        <Specimen name="empty, with an action">
          <EmptyState title="No boards" action={<Button>Refresh</Button>}>
            Boards you create on Pinterest show up here.
          </EmptyState>
        </Specimen>
        <Specimen name="empty">
          <EmptyState title="Nothing is scheduled" />
        </Specimen>
        <Specimen name="skeletons">
          <Row>
            <PinSkeleton className="w-28" />
            <Skeleton className="h-4 w-24" />
          </Row>
        </Specimen>
      </Columns>
    </Specimens>
  );
}
