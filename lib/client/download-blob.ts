/** Hands a file to the browser's downloads. */
export const downloadBlob = (blob: Blob, name: string): void => {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has its own hold on the bytes once the click was dealt with.
  setTimeout(() => URL.revokeObjectURL(address));
};
