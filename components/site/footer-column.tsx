import Link from "next/link";
import { columnPages, type SitePage } from "#components/site/pages.ts";

type FooterColumnProps = { title: string; column: NonNullable<SitePage["column"]> };

/** The links to one group of public pages; nothing while the group has no page. */
export function FooterColumn({ title, column }: FooterColumnProps) {
  const pages = columnPages(column);
  if (pages.length === 0) return null;
  return (
    <nav aria-label={title}>
      <h2 className="site-footer-title">{title}</h2>
      <ul className="grid gap-1">
        {pages.map(({ path, label }) => (
          <li key={path}>
            <Link className="footer-link" href={path}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
