/** What shows nothing: white space, marks without a letter, joiners, fillers, controls and the empty Braille pattern. */
const invisible = /[\s\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\p{Cc}\uFFF9-\uFFFB\u2800]/gu;

/** Whether nothing of a text is visible: it is empty, or has only characters that show nothing. */
export const isBlank = (text: string): boolean => text.replaceAll(invisible, '') === '';
