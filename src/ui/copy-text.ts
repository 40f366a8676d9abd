/** Copies a text and returns whether that worked. Falls back to `execCommand` in insecure contexts. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByEvent(text);
  }
}

function copyByEvent(text: string): boolean {
  let copied = false;
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    copied = event.clipboardData !== null;
  };
  document.addEventListener('copy', onCopy);
  document.execCommand?.('copy');
  document.removeEventListener('copy', onCopy);
  return copied;
}
