import type { Metadata } from "next";
import { VideosScreen } from "#components/videos/videos-screen.tsx";

export const metadata: Metadata = { title: "Videos" };

export default function VideosPage() {
  return <VideosScreen />;
}
