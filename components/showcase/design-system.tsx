import { Fields } from "#components/showcase/fields.tsx";
import { Overlays } from "#components/showcase/overlays.tsx";
import { Surfaces } from "#components/showcase/surfaces.tsx";
import { ThemeToggle } from "#components/ui/theme-toggle.tsx";
import { Toaster } from "#components/ui/toaster.tsx";
import { Choices, Controls } from "./controls.tsx";

/** All components of components/ui in all of their states. */
export function DesignSystem() {
  return (
    <main className="site-width py-12">
      <header className="mb-10 flex flex-wrap items-end justify-between gap-6">
        <div>
          <h1 className="screen-title">Components</h1>
          <p className="mt-2 max-w-[62ch] text-ink-3">
            Every component in every state. Hover over a component or tab to it to see how it responds.
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
