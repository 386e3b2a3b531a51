import { Fields } from "#components/showcase/fields.tsx";
import { Overlays } from "#components/showcase/overlays.tsx";
import { Surfaces } from "#components/showcase/surfaces.tsx";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";
import { Toaster } from "#components/ui/toaster.tsx";
import { Choices, Controls } from "./controls.tsx";

/** Every component of components/ui in each of its states. The theme is switched at the top right. */
export function DesignSystem() {
  return (
    <main className="site-width py-12">
      <header className="mb-10 flex flex-wrap items-end justify-between gap-6">
        <div>
          <h1 className="screen-title">The components</h1>
          <p className="mt-2 max-w-[62ch] text-ink-3">
            Paper, ink and one evergreen. Point at a component or tab to it to see how it answers.
          </p>
        </div>
        <ThemeToggle />
      </header>
      <Controls />
      <Fields />
      <Choices />
      <Surfaces />
      <Overlays />
      <Toaster />
    </main>
  );
}
