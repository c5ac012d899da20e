package main

import "slices"

// The club of W. W. Zachary, An information flow model for conflict and fission in small groups,
// Journal of Anthropological Research 33, 1977. Members count from 0 here, and from 1 in the paper.
const (
	members    = 34
	instructor = 0
	officer    = 33
)

// friends lists, for each member in the paper's order, the friends with smaller numbers.
var friends = [members + 1][]int64{
	2: {1}, 3: {1, 2}, 4: {1, 2, 3}, 5: {1}, 6: {1}, 7: {1, 5, 6}, 8: {1, 2, 3, 4}, 9: {1, 3}, 10: {3}, 11: {1, 5, 6},
	12: {1},
	13: {1, 4}, 14: {1, 2, 3, 4}, 17: {6, 7}, 18: {1, 2}, 20: {1, 2}, 22: {1, 2}, 26: {24, 25}, 28: {3, 24, 25},
	29: {3},
	30: {24, 27}, 31: {2, 9}, 32: {1, 25, 26, 29}, 33: {3, 9, 15, 16, 19, 21, 23, 24, 30, 31, 32},
	34: {9, 10, 14, 15, 16, 19, 20, 21, 23, 24, 27, 28, 29, 30, 31, 32, 33},
}

// withInstructor are the members, by the paper's numbers, that stayed with the instructor.
var withInstructor = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22}

// joined returns the group that a member joined: 0 is the instructor's, 1 the officer's.
func joined(member int) int64 {
	if slices.Contains(withInstructor, member+1) {
		return 0
	}
	return 1
}

// friendships returns the edges of the graph, each in both directions, and one from each member to
// itself.
func friendships() (from, to []int64) {
	for a := range int64(members) {
		from, to = append(from, a), append(to, a)
		for _, b := range friends[a+1] {
			from, to = append(from, a, b-1), append(to, b-1, a)
		}
	}
	return from, to
}
