import { useEffect } from 'react';

/** Sets the Open Graph and Twitter tags of the page, and restores the previous ones on unmount. */
export function usePreview(title: string, description: string): void {
  useEffect(() => {
    const undo = [
      setTag('property', 'og:title', title),
      setTag('property', 'og:description', description),
      setTag('name', 'twitter:title', title),
      setTag('name', 'twitter:description', description),
      setTag('name', 'description', description),
    ];
    return () => undo.forEach((step) => step());
  }, [title, description]);
}

function setTag(attribute: 'name' | 'property', key: string, content: string): () => void {
  const found = document.head.querySelector<HTMLMetaElement>(`meta[${attribute}="${key}"]`);
  const tag = found ?? document.createElement('meta');
  const before = tag.content;
  tag.setAttribute(attribute, key);
  tag.content = content;
  if (found) return () => void (tag.content = before);
  document.head.append(tag);
  return () => tag.remove();
}
