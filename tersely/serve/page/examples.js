// Example sentences, written for this page.
export const EXAMPLES = [
  ["A ship", "A container ship carrying 4,200 tonnes of grain ran aground at the entrance to the port of Rotterdam early on Tuesday, but the harbour authority said there were no casualties."],
  ["A bank", "The central bank raised its key interest rate by a quarter of a percentage point to 3.5% on Thursday, the fourth increase this year, and warned that inflation would not return to its target before next spring."],
  ["A match", "After trailing for most of the evening, the home side scored twice in the last five minutes to win 3-2 and reach the final of the cup for the first time since 1987."],
  ["A discovery", "Biologists working in the mountains of northern Vietnam have described a new species of frog, no larger than a thumbnail, which sings at a pitch so high that most people cannot hear it."],
  ["A notice", "Please note that the library will not be open to visitors on Monday, because the heating in the main reading room has to be repaired, but books can still be returned at the side entrance."],
];
