import { useEffect } from 'react';
import { settings } from './settings.ts';

/** The title of the window: the product's name, then the page's. */
export function useTitle(page?: string): void {
  useEffect(() => {
    document.title = page ? `${settings.productName} - ${page}` : settings.productName;
  }, [page]);
}
