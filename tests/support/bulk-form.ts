/** A pin to upload; absent fields are not sent. */
export interface SentPin {
  image?: Buffer | undefined;
  fileName?: string;
  type?: string;
  [text: string]: unknown;
}

interface FormOptions {
  account: string;
  pins: SentPin[];
  /** Which of the two shapes contains the texts. */
  shape?: "both" | "single" | "all";
  number?: string;
}

/** The multipart body (R-BULK-08). */
export const bulkForm = ({ account, pins, shape = "both", number }: FormOptions): FormData => {
  const form = new FormData();
  form.set("pinterest_account", account);
  form.set("number_of_pins", number ?? String(pins.length));
  const texts = pins.map(({ image: _, fileName: __, type: ___, ...text }) => text);
  if (shape !== "all") for (const [index, text] of texts.entries()) form.set(`pins[${index}]`, JSON.stringify(text));
  for (const [index, { image, fileName = "image.jpg", type = "image/jpeg" }] of pins.entries()) {
    if (image) form.set(`pins[${index}][image]`, new File([new Uint8Array(image)], fileName, { type }));
  }
  if (shape !== "single") form.set("pins", JSON.stringify(texts));
  return form;
};
