import { useEffect } from 'react';
import { settings } from './settings.ts';

/** Sets the document title: the product name, then the page. */
export function useTitle(page?: string): void {
  useEffect(() => {
    document.title = page ? `${settings.productName} - ${page}` : settings.productName;
  }, [page]);
}
