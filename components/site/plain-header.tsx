import { Mark } from "#components/site/mark.tsx";
import { HEADER_PAGES } from "#components/site/pages.ts";

/** The public bar where the page may not count on scripts: the way home and the site's pages, by plain links. */
export function PlainHeader({ name }: { name: string }) {
  return (
    <header className="site-bar">
      <a href="/" className="logo" aria-label={`${name}, home`}>
        <Mark className="logo-mark" />
        <span className="logo-name" aria-hidden="true">
          {name}
        </span>
      </a>
      <nav aria-label="Main" className="site-nav">
        <ul>
          {HEADER_PAGES.map(({ path, label }) => (
            <li key={path}>
              <a href={path} className="site-link">
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}
