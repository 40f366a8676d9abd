import { type DragEvent, useState } from 'react';

/** Lets the user drop files on an element, which gets the props `zone`. */
export function useDrop(onDrop: (files: File[]) => void) {
  const [isOver, setIsOver] = useState(false);
  const zone = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      setIsOver(false);
      onDrop([...event.dataTransfer.files]);
    },
  };
  return { isOver, zone };
}
