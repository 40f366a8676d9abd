/** The words of a search, all of which a name must contain. */
export const wordsOf = (q: string): string[] => q.split(/\s+/).filter(Boolean);
