export interface Settings {
  productName: string;
  supportEmail?: string;
  /** Where a Support link leads: an email to that address, or what to do without one. */
  supportUrl: string;
  makerName: string;
  makerUrl: string;
  developerName: string;
  developerUrl?: string;
  donateUrl?: string;
}

/** As the server wrote them into the page; where the page is made there is none to read. */
const written =
  typeof document === 'undefined'
    ? undefined
    : document.querySelector<HTMLMetaElement>('meta[name="muster-settings"]')?.content;

/** What the operator has set; a page without it gets the defaults. */
export const settings: Settings = {
  productName: 'Muster',
  supportUrl: '/privacy-policy#contact',
  makerName: 'Muster Consulting',
  makerUrl: '/',
  developerName: 'Muster Consulting',
  ...(JSON.parse(written || '{}') as Partial<Settings>),
};
