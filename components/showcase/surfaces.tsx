import { EmptyState } from "#components/shared/empty-state.tsx";
import { Columns, Row, Specimen, Specimens } from "#components/showcase/specimen.tsx";
import { Accordion } from "#components/ui/accordion.tsx";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { PinSkeleton, Skeleton } from "#components/ui/skeleton.tsx";

const QUESTIONS = [
  { id: "specimen-credit", title: "What does a pin cost?", content: <p>One credit, or two for high quality.</p> },
  { id: "specimen-loss", title: "What if it fails?", content: <p>Its credits come back by themselves.</p> },
];

const TONES: readonly BannerTone[] = ["plain", "success", "low", "failed"];

/** What lies on the page: news, nothing yet, and what is still being read. */
export function Surfaces() {
  return (
    <Specimens id="surfaces" title="Banners, questions, empty, waiting">
      {TONES.map((tone) => (
        <Specimen key={tone} name={`banner, ${tone}`}>
          <Banner tone={tone} action={<Button size="sm">Try again</Button>}>
            Pinterest could not open the link. Fix it and try again.
          </Banner>
        </Specimen>
      ))}
      <Specimen name="accordion, one open at a time">
        <Accordion name="specimen" items={QUESTIONS} />
      </Specimen>
      <Columns>
        <Specimen name="empty, with one next step">
          <EmptyState title="No boards" action={<Button>Refresh</Button>}>
            Boards that you make on Pinterest show up here.
          </EmptyState>
        </Specimen>
        <Specimen name="empty">
          <EmptyState title="Nothing is scheduled" />
        </Specimen>
        <Specimen name="skeletons, for live reads only">
          <Row>
            <PinSkeleton className="w-28" />
            <Skeleton className="h-4 w-24" />
          </Row>
        </Specimen>
      </Columns>
    </Specimens>
  );
}
