import type { ReactNode } from "react";

export const metadata = {
  title: "A bare page",
  description: "A minimal page of this Next version, which the product's pages are compared with.",
  icons: { icon: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E" },
};

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
