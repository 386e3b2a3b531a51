/** Returns a computed color as red, green and blue. */
export const colorOf = (selector: string, property: string): number[] => {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  const element = document.querySelector(selector);
  if (!context || !element) throw new Error(`${selector} is not there.`);
  context.fillStyle = getComputedStyle(element).getPropertyValue(property);
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
