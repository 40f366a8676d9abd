export interface Settings {
  productName: string;
  supportEmail?: string;
  /** Target of the Support link: a mailto link if there is a support address, else the contact section. */
  supportUrl: string;
  makerName: string;
  makerUrl: string;
  developerName: string;
  developerUrl?: string;
  donateUrl?: string;
  /** Who may create an account. Not set if everybody may. */
  registration?: 'invited' | 'closed';
  /** The domains of addresses that may create an account. Not set if all may. */
  allowedEmailDomains?: readonly string[];
  /** Whether members may choose invitations by mail. */
  mailsInvitations?: true;
  /** Whether the server sends notifications to devices. */
  hasPush?: true;
  /** The version of the server. */
  version?: string;
}

/** JSON that the server writes into the page. During server-side rendering there is no document. */
const json =
  typeof document === 'undefined'
    ? undefined
    : document.querySelector<HTMLMetaElement>('meta[name="muster-settings"]')?.content;

/** The settings of the operator, with defaults. */
export const settings: Settings = {
  productName: 'Muster',
  supportUrl: '/privacy-policy#contact',
  makerName: 'Muster Consulting',
  makerUrl: '/',
  developerName: 'Muster Consulting',
  ...(JSON.parse(json || '{}') as Partial<Settings>),
};
