// Package scheduling tells the kernel that the program is a batch job, in which no thread needs to run as soon as it is woken.
package scheduling
