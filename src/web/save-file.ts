/** Saves a file to the downloads folder of the browser. */
export function saveFile(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Some browsers read the blob only after the click event, so the URL is revoked later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
