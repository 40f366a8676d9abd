import { useState } from 'react';

/** Tells which members of a list have joined it since it was first rendered. */
export function useJoined(ids: readonly string[]): (id: string) => boolean {
  const [before] = useState(() => new Set(ids));
  return (id) => !before.has(id);
}
