/** Buttons of a notification that answer an event without opening the app. */
export interface AnswerButtons {
  /** The path of the answer link in the API. */
  link: string;
  choices: {
    action: 'going' | 'no';
    title: string;
    /** What the notification reads after the answer. */
    done: string;
    /** What it reads instead if the answer put the reader on the waitlist. */
    waiting?: string;
  }[];
  /** What the notification reads if the answer was not saved. */
  failed: string;
}
