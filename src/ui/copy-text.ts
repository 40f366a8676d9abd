/** Copies a text, and says whether it could. The older way works where a page is not served securely. */
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
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    copied = event.clipboardData !== null;
  };
  document.addEventListener('copy', fill);
  document.execCommand?.('copy');
  document.removeEventListener('copy', fill);
  return copied;
}
