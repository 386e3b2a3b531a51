/** A color of the page in red, green and blue, however its style sheet writes it. */
export const colorOf = (selector: string, property: string): number[] => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  const element = document.querySelector(selector);
  if (!pen || !element) throw new Error(`${selector} is not there.`);
  pen.fillStyle = getComputedStyle(element).getPropertyValue(property);
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
