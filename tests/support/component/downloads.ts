import { onTestFinished, vi } from "vitest";

/** A file downloaded by the page. */
export interface Download {
  name: string;
  blob: Blob;
}

/** Catches the downloads of the page until the test ends. */
export const catchDownloads = () => {
  const files: Download[] = [];
  const blobs = new Map<string, Blob>();
  const create = URL.createObjectURL.bind(URL);
  const made = vi.spyOn(URL, "createObjectURL").mockImplementation((object) => {
    const url = create(object);
    if (object instanceof Blob) blobs.set(url, object);
    return url;
  });
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    const blob = blobs.get(this.href);
    if (blob) files.push({ name: this.download, blob });
  });
  onTestFinished(() => {
    made.mockRestore();
    clicked.mockRestore();
  });
  return {
    /** Waits for the file that `press` downloads. */
    next: async (press: () => Promise<unknown>): Promise<Download & { text: string }> => {
      const before = files.length;
      await press();
      await vi.waitUntil(() => files.length > before, { timeout: 15_000 });
      const file = files[before];
      if (!file) throw new Error("The wait above found a file.");
      return { ...file, text: await file.blob.text() };
    },
  };
};
