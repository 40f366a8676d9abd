import { useEffect } from 'react';

/** Sets the open-graph and twitter tags of the page, and takes back what it added when the page is left. */
export function usePreview(title: string, description: string): void {
  useEffect(() => {
    const undo = [
      put('property', 'og:title', title),
      put('property', 'og:description', description),
      put('name', 'twitter:title', title),
      put('name', 'twitter:description', description),
      put('name', 'description', description),
    ];
    return () => undo.forEach((step) => step());
  }, [title, description]);
}

function put(attribute: 'name' | 'property', key: string, content: string): () => void {
  const found = document.head.querySelector<HTMLMetaElement>(`meta[${attribute}="${key}"]`);
  const tag = found ?? document.createElement('meta');
  const before = tag.content;
  tag.setAttribute(attribute, key);
  tag.content = content;
  if (found) return () => void (tag.content = before);
  document.head.append(tag);
  return () => tag.remove();
}
