/** A phone number as people write it (CONTACT-01). */
const pattern = /^[\d +()\-/.]{5,30}$/;

export const isPhone = (phone: string): boolean => pattern.test(phone);

/** The address that calls a phone. */
export const phoneHref = (phone: string): string => `tel:${phone.replaceAll(/[^\d+]/g, '')}`;
